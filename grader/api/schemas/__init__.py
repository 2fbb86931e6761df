"""What requests and replies look like."""

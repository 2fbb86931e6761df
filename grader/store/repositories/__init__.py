"""The only place for queries; all but those of the deployment are scoped by one tenant."""

"""The untrusted side: a supervisor, and the children it forks for submissions."""

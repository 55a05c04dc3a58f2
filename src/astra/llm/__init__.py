"""Models behind an interface: embeddings that need no download, and the endpoint client."""

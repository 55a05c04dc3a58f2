"""Adapters for other people's trainers and clients."""

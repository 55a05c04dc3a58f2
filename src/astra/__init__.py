"""ASTRA: trajectories and arenas for training tool-using language models.

Two roads: tool documents become scored multi-turn *trajectories*; knowledge and solved problems become
certified *arenas* of executable tools. Nothing is believed that can be executed.
"""

__version__ = "0.1.0"

"""The teacher that asks a language model."""

from astra.teachers.llm.prompts import Prompts
from astra.teachers.llm.teacher import LLMTeacher

__all__ = ["LLMTeacher", "Prompts"]

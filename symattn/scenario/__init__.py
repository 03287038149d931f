"""Scenarios: what is given, the equations in the order they are taught, and the words around them.

:mod:`symattn.scenario.load` reads one, :mod:`symattn.scenario.model` says what it is. Nothing is imported here, so
that :mod:`symattn.scenario.style` can be had without pydantic.
"""

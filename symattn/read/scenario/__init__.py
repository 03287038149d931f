"""Scenarios: what is given, the equations in the order they are taught, and the words around them.

:mod:`symattn.read.scenario.load` reads one, :mod:`symattn.read.scenario.model` says what it is. Nothing is imported
here, so that :mod:`symattn.read.scenario.model` can be had without pydantic.
"""

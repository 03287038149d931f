"""Scenarios: everything given, the equations in the order they are taught, and the words around them.

:mod:`symattn.read.scenario.load` reads one into the classes of :mod:`symattn.read.scenario.model`. Nothing is imported
here, so that :mod:`symattn.read.scenario.model` can be used without pydantic.
"""

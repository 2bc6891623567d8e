"""Profiling by the GPU's counters: who may, and whether the module is loaded with the option for it."""

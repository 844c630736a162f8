"""Compiled kernels: arrays in, arrays filled."""

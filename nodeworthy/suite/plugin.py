"""The pytest plugin behind `nodes/`: inert until node tests are collected."""

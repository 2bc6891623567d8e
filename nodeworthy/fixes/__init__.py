"""Mends what findings say, by edits of text: no guess, no file written anew."""

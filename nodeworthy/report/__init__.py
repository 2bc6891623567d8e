"""What was judged, for people and for programs. Renderers are pure: a report in, text out."""

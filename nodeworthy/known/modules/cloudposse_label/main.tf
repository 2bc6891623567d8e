# What cloudposse/label/null says of a component: whether it is on, and what it is called. It makes nothing.

output "enabled" {
  value = coalesce(try(var.given.enabled, null), try(var.given.context.enabled, null), true)
}

data "template_file" "head" {
  template = "#!/bin/bash\nexport nfs_server=$${nfs}\n"
}

resource "openstack_compute_instance_v2" "worker" {
  name      = "worker"
  user_data = "${data.template_file.head.rendered} ${file("${path.module}/user_data_worker.sh")}"
}

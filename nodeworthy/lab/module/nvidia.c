/* Stands in for NVIDIA's module: takes its option when it is loaded, and shows it where the real one does. */
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static int NVreg_RestrictProfilingToAdminUsers = 1;
module_param(NVreg_RestrictProfilingToAdminUsers, int, 0);

static struct proc_dir_entry *folder;

static int params(struct seq_file *file, void *unused)
{
	seq_printf(file, "RmProfilingAdminOnly: %d\n", NVreg_RestrictProfilingToAdminUsers);
	return 0;
}

static int __init start(void)
{
	folder = proc_mkdir("driver/nvidia", NULL);
	if (!folder || !proc_create_single("params", 0444, folder, params))
		return -ENOMEM;
	return 0;
}

static void __exit end(void)
{
	proc_remove(folder);
}

module_init(start);
module_exit(end);
MODULE_LICENSE("GPL");

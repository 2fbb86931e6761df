"""Catalogue: 22. Tries the system calls of escapes with raw numbers, old entry points included."""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
CALLS = {
    "unshare": 272, "setns": 308, "mount": 165, "pivot_root": 155, "chroot": 161, "bpf": 321,
    "keyctl": 250, "add_key": 248, "perf_event_open": 298, "userfaultfd": 323, "io_uring": 425,
    "ptrace": 101, "init_module": 175, "kexec": 246, "reboot": 169, "swapon": 167, "clone3": 435,
    "open_by_handle_at": 304, "name_to_handle_at": 303, "memfd_create": 319, "iopl": 172,
    "acct": 163, "settimeofday": 164, "syslog": 103, "quotactl": 179, "fsopen": 430, "vmsplice": 278,
}


def before_call(args, kwargs):
    for name, number in CALLS.items():
        if libc.syscall(number, 0, 0, 0, 0, 0, 0) >= 0:
            print("allowed", name)
    libc.syscall(0x40000000 | 272, 0x10000000)

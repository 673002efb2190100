package io.polder.memory;

import java.util.Map;

/**
 * Error numbers of Linux and their names. The values are those of the kernel's generic ABI, which
 * x86-64 and aarch64 share.
 */
public final class Errno {

    public static final int EPERM = 1;
    public static final int EINTR = 4;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int ENOSYS = 38;
    public static final int EOVERFLOW = 75;
    public static final int EOPNOTSUPP = 95;
    public static final int EHWPOISON = 133;

    private static final Map<Integer, String> NAMES =
            Map.ofEntries(
                    Map.entry(EPERM, "EPERM"),
                    Map.entry(EINTR, "EINTR"),
                    Map.entry(EBADF, "EBADF"),
                    Map.entry(EAGAIN, "EAGAIN"),
                    Map.entry(ENOMEM, "ENOMEM"),
                    Map.entry(EACCES, "EACCES"),
                    Map.entry(EFAULT, "EFAULT"),
                    Map.entry(EBUSY, "EBUSY"),
                    Map.entry(EEXIST, "EEXIST"),
                    Map.entry(ENODEV, "ENODEV"),
                    Map.entry(EINVAL, "EINVAL"),
                    Map.entry(ENFILE, "ENFILE"),
                    Map.entry(EMFILE, "EMFILE"),
                    Map.entry(ENOSYS, "ENOSYS"),
                    Map.entry(EOVERFLOW, "EOVERFLOW"),
                    Map.entry(EOPNOTSUPP, "EOPNOTSUPP"),
                    Map.entry(EHWPOISON, "EHWPOISON"));

    private Errno() {}

    /** Name and number, as in {@code ENOMEM (12)}. */
    public static String describe(int errno) {
        return NAMES.getOrDefault(errno, "unknown") + " (" + errno + ")";
    }
}

package io.polder.memory;

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
    public static final int EINVAL = 22;
    public static final int ENOSYS = 38;

    private Errno() {}

    /** Name and number, as in {@code ENOMEM (12)}. */
    public static String describe(int errno) {
        return name(errno) + " (" + errno + ")";
    }

    /** A switch, because a map would be made by a static initialiser, which can be cut short. */
    private static String name(int errno) {
        return switch (errno) {
            case 1 -> "EPERM";
            case 4 -> "EINTR";
            case 9 -> "EBADF";
            case 11 -> "EAGAIN";
            case 12 -> "ENOMEM";
            case 13 -> "EACCES";
            case 14 -> "EFAULT";
            case 16 -> "EBUSY";
            case 17 -> "EEXIST";
            case 19 -> "ENODEV";
            case 22 -> "EINVAL";
            case 23 -> "ENFILE";
            case 24 -> "EMFILE";
            case 38 -> "ENOSYS";
            case 75 -> "EOVERFLOW";
            case 95 -> "EOPNOTSUPP";
            case 133 -> "EHWPOISON";
            default -> "unknown";
        };
    }
}

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

    private Errno() {}

    /** Name and number, as in {@code ENOMEM (12)}. */
    public static String describe(int errno) {
        return name(errno) + " (" + errno + ")";
    }

    /** A switch, because a map would be made by a static initialiser, which can be cut short. */
    private static String name(int errno) {
        return switch (errno) {
            case EPERM -> "EPERM";
            case EINTR -> "EINTR";
            case EBADF -> "EBADF";
            case EAGAIN -> "EAGAIN";
            case ENOMEM -> "ENOMEM";
            case EACCES -> "EACCES";
            case EFAULT -> "EFAULT";
            case EBUSY -> "EBUSY";
            case EEXIST -> "EEXIST";
            case ENODEV -> "ENODEV";
            case EINVAL -> "EINVAL";
            case ENFILE -> "ENFILE";
            case EMFILE -> "EMFILE";
            case ENOSYS -> "ENOSYS";
            case EOVERFLOW -> "EOVERFLOW";
            case EOPNOTSUPP -> "EOPNOTSUPP";
            case EHWPOISON -> "EHWPOISON";
            default -> "unknown";
        };
    }
}

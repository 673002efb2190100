package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Makes the kernel refuse this process, from now on and with all its threads, to give memory back:
 * {@code madvise(MADV_DONTNEED)} and {@code process_madvise} fail with {@code EPERM}, as in
 * sandboxes that list what is allowed.
 *
 * <pre>{@code
 * struct sock_filter: code 2, jt 1, jf 1, k 4 bytes       struct sock_fprog: len 2, filter at 8
 * }</pre>
 */
final class Sandbox {
    private static final boolean AARCH64 = System.getProperty("os.arch").equals("aarch64");
    private static final int SYS_MADVISE = AARCH64 ? 233 : 28;
    private static final int SYS_PROCESS_MADVISE = 440;
    private static final long SYS_SECCOMP = AARCH64 ? 277 : 317;
    private static final long SYS_PRCTL = AARCH64 ? 167 : 157;

    private static final long PR_SET_NO_NEW_PRIVS = 38;
    private static final long SECCOMP_SET_MODE_FILTER = 1;
    private static final long SECCOMP_FILTER_FLAG_TSYNC = 1;
    private static final int MADV_DONTNEED = 4;
    private static final int EPERM = 1;

    // Of linux/filter.h: load a word, jump if equal, return.
    private static final short LOAD = 0x20;
    private static final short JUMP_IF_EQUAL = 0x15;
    private static final short RETURN = 0x06;
    private static final int ALLOW = 0x7fff0000;
    private static final int REFUSE = 0x00050000 | EPERM;

    // Of struct seccomp_data.
    private static final int NUMBER_OFFSET = 0;
    private static final int THIRD_ARGUMENT_OFFSET = 32;

    private Sandbox() {}

    /** Returns whether the kernel took the rule. */
    @SuppressWarnings("restricted")
    static boolean enter() throws Throwable {
        ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
        Linker linker = Linker.nativeLinker();
        MethodHandle call =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("syscall"),
                        FunctionDescriptor.of(word, word, word, word, word, word, word),
                        Linker.Option.firstVariadicArg(1));
        try (Arena arena = Arena.ofConfined()) {
            int[][] rules = {
                {LOAD, 0, 0, NUMBER_OFFSET},
                {JUMP_IF_EQUAL, 4, 0, SYS_PROCESS_MADVISE},
                {JUMP_IF_EQUAL, 0, 2, SYS_MADVISE},
                {LOAD, 0, 0, THIRD_ARGUMENT_OFFSET},
                {JUMP_IF_EQUAL, 1, 0, MADV_DONTNEED},
                {RETURN, 0, 0, ALLOW},
                {RETURN, 0, 0, REFUSE},
            };
            MemorySegment filter = arena.allocate(8L * rules.length, 8);
            for (int i = 0; i < rules.length; i++) {
                filter.set(ValueLayout.JAVA_SHORT, 8L * i, (short) rules[i][0]);
                filter.set(ValueLayout.JAVA_BYTE, 8L * i + 2, (byte) rules[i][1]);
                filter.set(ValueLayout.JAVA_BYTE, 8L * i + 3, (byte) rules[i][2]);
                filter.set(ValueLayout.JAVA_INT, 8L * i + 4, rules[i][3]);
            }
            MemorySegment program = arena.allocate(16, 8);
            program.set(ValueLayout.JAVA_SHORT, 0, (short) rules.length);
            program.set(word, 8, filter.address());
            long set = (long) call.invokeExact(SYS_PRCTL, PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
            return set == 0
                    && (long)
                                    call.invokeExact(
                                            SYS_SECCOMP,
                                            SECCOMP_SET_MODE_FILTER,
                                            SECCOMP_FILTER_FLAG_TSYNC,
                                            program.address(),
                                            0L,
                                            0L)
                            == 0;
        }
    }
}

package io.polder.stress.limits;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the kernel refuse system calls of this process, from now on and in all its threads, as the
 * profiles of container engines do.
 *
 * <pre>{@code
 * for each rule:   load number; if not equal, next rule
 *                  load the low half of the argument; if not equal, next rule     (if it has one)
 *                  return the errno
 * at the end:      allow
 *
 * struct sock_filter: code 2, jt 1, jf 1, k 4 bytes       struct sock_fprog: len 2, filter at 8
 * }</pre>
 */
final class Seccomp {

    /**
     * A call that is refused.
     *
     * @param number of the call
     * @param argument which argument decides, from 0; {@link #ANY} if none does
     * @param value that the argument must have
     * @param errno that the caller gets
     */
    record Rule(int number, int argument, int value, int errno) {

        /** Refuses a call whatever its arguments. */
        static Rule all(int number, int errno) {
            return new Rule(number, ANY, 0, errno);
        }
    }

    static final int ANY = -1;
    static final int EPERM = 1;
    static final int ENOSYS = 38;

    private static final long PR_SET_NO_NEW_PRIVS = 38;
    private static final long SECCOMP_SET_MODE_FILTER = 1;
    private static final long SECCOMP_FILTER_FLAG_TSYNC = 1;

    // Of linux/filter.h and linux/seccomp.h.
    private static final int LOAD = 0x20;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int RETURN = 0x06;
    private static final int ALLOW = 0x7fff0000;
    private static final int REFUSE = 0x00050000;

    // Of struct seccomp_data: number, architecture, instruction pointer, arguments.
    private static final int NUMBER_OFFSET = 0;
    private static final int ARGUMENTS_OFFSET = 16;

    private static final long INSTRUCTION_BYTES = 8;

    private Seccomp() {}

    /** Sets the rules; they cannot be taken back. Returns whether the kernel took them. */
    static boolean refuse(List<Rule> rules) {
        List<int[]> program = program(rules);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment filter = SystemCalls.struct(arena, INSTRUCTION_BYTES * program.size());
            for (int i = 0; i < program.size(); i++) {
                int[] instruction = program.get(i);
                long at = INSTRUCTION_BYTES * i;
                filter.set(ValueLayout.JAVA_SHORT, at, (short) instruction[0]);
                filter.set(ValueLayout.JAVA_BYTE, at + 2, (byte) instruction[1]);
                filter.set(ValueLayout.JAVA_BYTE, at + 3, (byte) instruction[2]);
                filter.set(ValueLayout.JAVA_INT, at + 4, instruction[3]);
            }
            MemorySegment head = SystemCalls.struct(arena, 2 * Long.BYTES);
            head.set(ValueLayout.JAVA_SHORT, 0, (short) program.size());
            head.set(ValueLayout.JAVA_LONG, Long.BYTES, filter.address());
            return SystemCalls.call(SystemCalls.PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0) == 0
                    && SystemCalls.call(
                                    SystemCalls.SECCOMP,
                                    SECCOMP_SET_MODE_FILTER,
                                    SECCOMP_FILTER_FLAG_TSYNC,
                                    head.address(),
                                    0,
                                    0,
                                    0)
                            == 0;
        }
    }

    /** Instructions: code, how many to skip if equal, and if not, operand. */
    static List<int[]> program(List<Rule> rules) {
        List<int[]> program = new ArrayList<>();
        for (Rule rule : rules) {
            boolean any = rule.argument == ANY;
            program.add(new int[] {LOAD, 0, 0, NUMBER_OFFSET});
            program.add(new int[] {JUMP_IF_EQUAL, 0, any ? 1 : 3, rule.number});
            if (!any) {
                int offset = ARGUMENTS_OFFSET + Long.BYTES * rule.argument;
                program.add(new int[] {LOAD, 0, 0, offset});
                program.add(new int[] {JUMP_IF_EQUAL, 0, 1, rule.value});
            }
            program.add(new int[] {RETURN, 0, 0, REFUSE | rule.errno});
        }
        program.add(new int[] {RETURN, 0, 0, ALLOW});
        return program;
    }
}

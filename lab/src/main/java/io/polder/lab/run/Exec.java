package io.polder.lab.run;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

/**
 * Replaces this process by a command: {@code execv(2)}. The command has the same process id,
 * terminal, streams and environment, gets all signals itself, and its exit code is that of the
 * process. Nothing stands between it and whoever started this one.
 */
@SuppressWarnings("restricted") // a system call
final class Exec {
    private Exec() {}

    /**
     * Runs the command in place of this program.
     *
     * @param file the executable
     * @param arguments the first is how it is called
     * @return only if that failed: errno
     */
    static int replaceProcess(Path file, List<String> arguments) {
        Linker linker = Linker.nativeLinker();
        StructLayout state = Linker.Option.captureStateLayout();
        MethodHandle execv =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("execv"),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                        Linker.Option.captureCallState("errno"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(ValueLayout.ADDRESS, arguments.size() + 1L);
            for (int i = 0; i < arguments.size(); i++) {
                words.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(arguments.get(i)));
            }
            MemorySegment captured = arena.allocate(state);
            int _ = (int) execv.invokeExact(captured, arena.allocateFrom(file.toString()), words);
            return captured.get(
                    ValueLayout.JAVA_INT,
                    state.byteOffset(StructLayout.PathElement.groupElement("errno")));
        } catch (Throwable e) {
            throw new IllegalStateException("execv cannot be called", e);
        }
    }
}

package io.polder.tools.run;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Replaces this process by a command: {@code execv(2)}. The command has the same process id,
 * terminal, streams and environment, gets all signals itself, and its exit code is that of the
 * process. Nothing stands between it and whoever started this one.
 *
 * <p>Nor does it inherit what is this JVM's: descriptors of its files are closed, and the signal is
 * let through that a JVM blocks in all threads but one.
 */
@SuppressWarnings("restricted") // system calls
final class Exec {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final Linker LINKER = Linker.nativeLinker();

    /** {@code F_SETFD} and {@code FD_CLOEXEC}, the same on Linux and macOS. */
    private static final int SET_FLAGS = 2;

    private static final int CLOSE_ON_EXEC = 1;

    /** {@code SIGQUIT}, the same everywhere. */
    private static final int QUIT = 3;

    /** {@code sizeof(sigset_t)} of glibc; others need less. */
    private static final int SIGNALS_BYTES = 128;

    private static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");

    /** {@code SIG_UNBLOCK}. */
    private static final int UNBLOCK = LINUX ? 1 : 2;

    private Exec() {}

    /**
     * Runs the command in place of this program.
     *
     * @param arguments the first is the file, which is also how it is called
     * @param ours files and directories whose descriptors are not passed on
     * @return only if that failed: errno
     */
    static int replaceProcess(List<byte[]> arguments, List<Path> ours) {
        StructLayout state = Linker.Option.captureStateLayout();
        MethodHandle execv =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("execv"),
                        FunctionDescriptor.of(INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                        Linker.Option.captureCallState("errno"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(ValueLayout.ADDRESS, arguments.size() + 1L);
            for (int i = 0; i < arguments.size(); i++) {
                words.setAtIndex(ValueLayout.ADDRESS, i, string(arena, arguments.get(i)));
            }
            MemorySegment captured = arena.allocate(state);
            closeAtExec(ours);
            unblockQuit(arena);
            int _ =
                    (int)
                            execv.invokeExact(
                                    captured, words.getAtIndex(ValueLayout.ADDRESS, 0), words);
            return captured.get(
                    INT, state.byteOffset(StructLayout.PathElement.groupElement("errno")));
        } catch (Throwable e) {
            throw new IllegalStateException("execv cannot be called", e);
        }
    }

    private static MemorySegment string(Arena arena, byte[] bytes) {
        MemorySegment string = arena.allocate(bytes.length + 1L);
        MemorySegment.copy(bytes, 0, string, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return string;
    }

    /** Where the kernel tells which descriptors there are; elsewhere they are passed on. */
    private static void closeAtExec(List<Path> ours) throws Throwable {
        MethodHandle fcntl =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("fcntl"),
                        FunctionDescriptor.of(INT, INT, INT, INT),
                        Linker.Option.firstVariadicArg(2));
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : open) {
                int number = Integer.parseInt(descriptor.getFileName().toString());
                if (number > 2 && isOneOf(descriptor, ours)) {
                    int _ = (int) fcntl.invokeExact(number, SET_FLAGS, CLOSE_ON_EXEC);
                }
            }
        } catch (IOException e) {
            // No Linux.
        }
    }

    private static boolean isOneOf(Path descriptor, List<Path> ours) {
        try {
            Path file = Files.readSymbolicLink(descriptor);
            return ours.stream().anyMatch(file::startsWith);
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    private static void unblockQuit(Arena arena) throws Throwable {
        MemorySegment signals = arena.allocate(SIGNALS_BYTES, Long.BYTES);
        int _ = (int) call("sigaddset", ValueLayout.ADDRESS, INT).invokeExact(signals, QUIT);
        int _ =
                (int)
                        call("pthread_sigmask", INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS)
                                .invokeExact(UNBLOCK, signals, MemorySegment.NULL);
    }

    private static MethodHandle call(String name, ValueLayout... parameters) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(INT, parameters));
    }
}

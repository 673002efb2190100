package io.polder;

import io.polder.page.Page;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Takes pages while less address space is allowed than there is, then lets others map, and looks
 * that everybody has what they wrote. What is not memory ends the process.
 */
final class LoweredLimitProbe {
    private static final long MIB = 1L << 20;
    private static final int RLIMIT_AS = 9;
    private static final int RLIMIT_DATA = 2;
    private static final int ROUNDS = 6;

    /** So that what the JVM needs for the first time is there. */
    private static final int WARM_UP = 3;

    private static final MethodHandle GET = limit("getrlimit");
    private static final MethodHandle SET = limit("setrlimit");

    private final SplittableRandom random;
    private final FileChannel file;
    private final MemorySegment limit = Arena.global().allocate(16, 8);
    private final List<Page> pages = new ArrayList<>(200);
    private final List<MemorySegment> taken = new ArrayList<>(200);
    private int refused;

    private LoweredLimitProbe(long seed, FileChannel file) {
        this.random = new SplittableRandom(seed);
        this.file = file;
    }

    @SuppressWarnings("restricted")
    private static MethodHandle limit(String name) {
        return Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow(name),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    }

    public static void main(String[] args) throws Throwable {
        Path path = Files.createTempFile("polder", ".stranger");
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            LoweredLimitProbe probe = new LoweredLimitProbe(Long.parseLong(args[0]), file);
            for (int i = 0; i < WARM_UP + ROUNDS; i++) {
                probe.round(i < WARM_UP);
                awaitTelling();
                System.out.println("round " + i + ", refused so far: " + probe.refused);
            }
        }
        Files.delete(path);
        System.out.println("ok");
    }

    /** What is told of refusals is told by another thread, which may have to load classes. */
    private static void awaitTelling() throws InterruptedException {
        boolean telling = true;
        while (telling) {
            Thread.sleep(200);
            telling =
                    Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().equals("polder-telling"))
                            .anyMatch(thread -> thread.getState() == Thread.State.RUNNABLE);
        }
    }

    private void round(boolean warmUp) throws Throwable {
        List<MemorySegment> strangers = new ArrayList<>();
        try (MemoryPool pool = pool();
                Arena files = Arena.ofShared()) {
            try (Arena views = Arena.ofShared()) {
                for (int i = 0; i < 32; i++) {
                    take(pool, 2 * MIB, views);
                }
                check(strangers);
            }
            giveHalf();
            int what = random.nextBoolean() ? RLIMIT_AS : RLIMIT_DATA;
            long now = used(what == RLIMIT_AS ? "VmSize:" : "VmData:");
            try (Arena views = Arena.ofShared()) {
                long old = lower(what, warmUp ? now + MIB : now - random.nextLong(100 * MIB));
                takeSome(pool, views);
                long _ = lower(what, old);
                for (int i = 0; i < 40; i++) {
                    strangers.add(stranger(files, i));
                }
                takeSome(pool, views);
                check(strangers);
            }
            pages.forEach(Page::close);
            pages.clear();
            taken.clear();
            long _ = pool.trim();
            check(strangers);
        }
    }

    private static MemoryPool pool() {
        return MemoryPool.builder().committedMaxBytes(64 * MIB).decay(Duration.ofHours(1)).build();
    }

    private void takeSome(MemoryPool pool, Arena views) {
        for (int i = 0; i < 6; i++) {
            try {
                take(pool, MIB * (1 + random.nextInt(8)), views);
            } catch (OutOfMemoryError full) {
                refused++;
            }
        }
    }

    private void take(MemoryPool pool, long bytes, Arena views) {
        Page page = pool.pages().allocate(bytes);
        pages.add(page);
        MemorySegment memory = page.segment(views);
        taken.add(memory);
        for (long at = 0; at < memory.byteSize(); at += 4096) {
            if (memory.get(ValueLayout.JAVA_LONG, at) != 0) {
                throw new AssertionError("a page reads as zero: at=" + at);
            }
            memory.set(ValueLayout.JAVA_LONG, at, memory.address() + at);
        }
    }

    private void giveHalf() {
        taken.clear();
        for (int i = pages.size() - 1; i >= 0; i--) {
            if (i % 2 == 0) {
                pages.remove(i).close();
            }
        }
    }

    private MemorySegment stranger(Arena arena, int number) throws IOException {
        long bytes = 2 * MIB;
        MemorySegment stranger =
                file.map(FileChannel.MapMode.READ_WRITE, number * bytes, bytes, arena);
        for (long at = 0; at < bytes; at += 4096) {
            stranger.set(ValueLayout.JAVA_LONG, at, ~at);
        }
        return stranger;
    }

    private void check(List<MemorySegment> strangers) {
        for (MemorySegment stranger : strangers) {
            for (long at = 0; at < stranger.byteSize(); at += 4096) {
                if (stranger.get(ValueLayout.JAVA_LONG, at) != ~at) {
                    throw new AssertionError("a file has what was written: at=" + at);
                }
            }
        }
        for (MemorySegment memory : taken) {
            for (long at = 0; at < memory.byteSize(); at += 4096) {
                if (memory.get(ValueLayout.JAVA_LONG, at) != memory.address() + at) {
                    throw new AssertionError("a page has what was written: at=" + at);
                }
            }
        }
    }

    /** Sets a limit that may be raised again; returns what it was. */
    private long lower(int what, long bytes) throws Throwable {
        int got = (int) GET.invokeExact(what, limit);
        long old = limit.get(ValueLayout.JAVA_LONG, 0);
        limit.set(ValueLayout.JAVA_LONG, 0, bytes);
        int set = (int) SET.invokeExact(what, limit);
        if (got != 0 || set != 0) {
            throw new IllegalStateException("a limit must be set");
        }
        return old;
    }

    private static long used(String key) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
            }
        }
        throw new IllegalStateException(key);
    }
}

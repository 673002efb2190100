package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.Paint;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Random operations of one thread on objects that nobody else has, and the model: what each of them
 * holds, byte for byte. Whatever moves them meanwhile must not be seen.
 */
final class RandomObjects {
    enum Operation {
        ALLOCATE,
        ALLOCATE_COPY,
        ALLOCATE_LARGE,
        REFUSED,
        FREE,
        FREE_MANY,
        FREE_LARGEST,
        READ,
        UPDATE,
        NESTED,
        PUT,
        GET,
        TO_ARRAY,
        SIZE,
        STALE,
        FOR_EACH,
        STATISTICS,
        VERIFY
    }

    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;

    /** Three of the largest regions. */
    private static final long BYTES_MAX = 3 * 32 * MIB;

    private static final int STALE_MAX = 100;

    private final RelocatingHeap heap;
    private final HeapSpace space;
    private final SplittableRandom random;
    private final int objectsMax;
    private final long liveMaxBytes;
    private final boolean full;
    private final Map<Long, byte[]> model = new HashMap<>();
    private final List<Long> handles = new ArrayList<>();
    private final List<Long> freed = new ArrayList<>();
    private final Map<Operation, Integer> mix = new EnumMap<>(Operation.class);
    private long liveBytes;

    /**
     * No object yet.
     *
     * @param space what is behind the heap
     * @param objectsMax how many may be alive before half of them are freed
     * @param liveMaxBytes how much may be alive before the largest are freed
     * @param full whether allocations may be refused because the heap is full
     */
    RandomObjects(
            RelocatingHeap heap,
            HeapSpace space,
            SplittableRandom random,
            int objectsMax,
            long liveMaxBytes,
            boolean full) {
        this.heap = heap;
        this.space = space;
        this.random = random;
        this.objectsMax = objectsMax;
        this.liveMaxBytes = liveMaxBytes;
        this.full = full;
    }

    /** One operation, after which the objects it touched are as the model says. */
    void step() {
        Operation operation = next();
        try {
            carryOut(operation);
        } catch (Throwable failure) {
            throw new AssertionError(operation + " " + heap.stats(), failure);
        }
        mix.merge(operation, 1, Integer::sum);
    }

    private Operation next() {
        if (liveBytes > liveMaxBytes) {
            return Operation.FREE_LARGEST;
        }
        if (handles.size() > objectsMax) {
            return Operation.FREE_MANY;
        }
        int dice = random.nextInt(1000);
        if (handles.isEmpty() || dice < 400) {
            return random.nextBoolean() ? Operation.ALLOCATE : Operation.ALLOCATE_COPY;
        }
        if (dice < 500) {
            return Operation.FREE;
        }
        if (dice < 930) {
            Operation[] usual = {
                Operation.READ,
                Operation.UPDATE,
                Operation.UPDATE,
                Operation.NESTED,
                Operation.PUT,
                Operation.GET,
                Operation.TO_ARRAY,
                Operation.SIZE,
                Operation.STALE
            };
            return usual[random.nextInt(usual.length)];
        }
        Operation[] rare = {
            Operation.ALLOCATE_LARGE, Operation.FOR_EACH, Operation.STATISTICS, Operation.VERIFY
        };
        return rare[random.nextInt(rare.length)];
    }

    private void carryOut(Operation operation) {
        switch (operation) {
            case ALLOCATE -> allocate(size());
            case ALLOCATE_COPY -> allocateCopy(size());
            case ALLOCATE_LARGE -> allocate(largeSize());
            case FREE -> free(pick());
            case FREE_MANY -> freeMany();
            case FREE_LARGEST ->
                    free(Collections.max(handles, Comparator.comparing(this::expectedBytes)));
            case READ -> {
                long handle = pick();
                heap.read(handle, bytes -> check(handle, bytes));
            }
            case UPDATE -> update(pick());
            case NESTED -> nested();
            case PUT -> put(pick());
            case GET -> get(pick());
            case TO_ARRAY -> {
                long handle = pick();
                assertThat(heap.toArray(handle)).isEqualTo(expected(handle));
            }
            case SIZE -> {
                long handle = pick();
                assertThat(heap.size(handle)).isEqualTo(expected(handle).length);
                assertThat(heap.isLive(handle)).isTrue();
            }
            case STALE -> stale();
            case FOR_EACH -> forEach();
            case STATISTICS -> statistics();
            case VERIFY -> HeapCheck.verify(space);
            case REFUSED -> throw new AssertionError("is not chosen");
        }
    }

    /** Mostly small; on both sides of each border between types of regions. */
    private long size() {
        int dice = random.nextInt(1000);
        if (dice < 600) {
            return random.nextInt(200);
        }
        if (dice < 900) {
            return random.nextLong(4 * KIB);
        }
        if (dice < 990) {
            return random.nextLong(64 * KIB);
        }
        return random.nextLong(512 * KIB);
    }

    private long largeSize() {
        return switch (random.nextInt(80)) {
            case 0 -> random.nextLong(BYTES_MAX);
            case 1, 2 -> random.nextLong(8 * MIB);
            default -> random.nextLong(2 * MIB);
        };
    }

    private void allocate(long bytes) {
        long handle;
        try {
            handle = heap.allocate(bytes);
        } catch (OutOfMemoryError refusal) {
            refused(refusal);
            return;
        }
        byte[] content = randomBytes(bytes);
        heap.update(
                handle,
                segment -> {
                    assertThat(segment.byteSize()).isEqualTo(bytes);
                    assertThat(Paint.isZero(segment)).as("zero at first").isTrue();
                    segment.copyFrom(MemorySegment.ofArray(content));
                });
        add(handle, content);
    }

    private void allocateCopy(long bytes) {
        byte[] content = randomBytes(bytes);
        try {
            add(heap.allocate(MemorySegment.ofArray(content)), content);
        } catch (OutOfMemoryError refusal) {
            refused(refusal);
        }
    }

    private void refused(OutOfMemoryError refusal) {
        if (!full) {
            throw new AssertionError("there is room enough", refusal);
        }
        assertThat(refusal).hasMessageContaining("MaxBytes=");
        mix.merge(Operation.REFUSED, 1, Integer::sum);
        freeMany();
    }

    private byte[] randomBytes(long bytes) {
        byte[] content = new byte[(int) bytes];
        random.nextBytes(content);
        return content;
    }

    private void add(long handle, byte[] content) {
        assertThat(model.put(handle, content)).as("a handle is new").isNull();
        assertThat(handle).isNotZero();
        handles.add(handle);
        liveBytes += content.length;
    }

    private long pick() {
        return handles.get(random.nextInt(handles.size()));
    }

    private byte[] expected(long handle) {
        byte[] content = model.get(handle);
        if (content == null) {
            throw new AssertionError("a live handle is in the model: handle=" + handle);
        }
        return content;
    }

    private int expectedBytes(long handle) {
        return expected(handle).length;
    }

    private boolean check(long handle, MemorySegment segment) {
        byte[] content = expected(handle);
        assertThat(segment.byteSize()).isEqualTo(content.length);
        assertThat(segment.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
        return true;
    }

    private void free(long handle) {
        heap.free(handle);
        handles.remove(handle);
        liveBytes -= expected(handle).length;
        model.remove(handle);
        if (freed.size() < STALE_MAX) {
            freed.add(handle);
        } else {
            freed.set(random.nextInt(STALE_MAX), handle);
        }
    }

    private void freeMany() {
        for (int left = (handles.size() + 1) / 2; left > 0; left--) {
            free(pick());
        }
    }

    /** Overwrites a random piece. */
    private void update(long handle) {
        byte[] content = expected(handle);
        int from = content.length == 0 ? 0 : random.nextInt(content.length);
        int count = Math.min(content.length - from, random.nextInt(1 << random.nextInt(16)));
        byte[] piece = randomBytes(count);
        heap.update(
                handle,
                segment -> {
                    if (content.length < KIB) {
                        check(handle, segment);
                    }
                    MemorySegment.copy(piece, 0, segment, ValueLayout.JAVA_BYTE, from, count);
                });
        System.arraycopy(piece, 0, content, from, count);
    }

    /** Whatever may be called inside is called inside. */
    private void nested() {
        long outer = pick();
        long inner = pick();
        heap.read(
                outer,
                segment -> {
                    update(inner);
                    if (outer != inner) {
                        heap.update(inner, _ -> free(inner));
                        check(outer, segment);
                    }
                    allocate(random.nextInt(200));
                    return segment.byteSize();
                });
        if (model.containsKey(outer)) { // or else it was freed because the heap was full
            heap.read(outer, segment -> check(outer, segment));
        }
    }

    private void put(long handle) {
        byte[] content = expected(handle);
        byte[] start = randomBytes(random.nextInt(content.length + 1));
        heap.put(handle, MemorySegment.ofArray(start));
        System.arraycopy(start, 0, content, 0, start.length);
    }

    private void get(long handle) {
        byte[] content = expected(handle);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment destination = arena.allocate(content.length + random.nextLong(9));
            heap.get(handle, destination);
            check(handle, destination.asSlice(0, content.length));
            assertThat(Paint.isZero(destination.asSlice(content.length))).isTrue();
        }
    }

    private void stale() {
        if (freed.isEmpty()) {
            return;
        }
        long handle = freed.get(random.nextInt(freed.size()));
        assertThat(heap.isLive(handle)).isFalse();
        assertThatExceptionOfType(StaleHandleException.class)
                .isThrownBy(
                        () -> {
                            switch (random.nextInt(4)) {
                                case 0 -> heap.free(handle);
                                case 1 -> heap.read(handle, MemorySegment::byteSize);
                                case 2 -> heap.update(handle, _ -> {});
                                default -> heap.size(handle);
                            }
                        });
    }

    /** Mine are live all the time, so each is met, once. */
    private void forEach() {
        Set<Long> met = new HashSet<>();
        heap.forEach(
                handle -> {
                    if (model.containsKey(handle)) {
                        assertThat(met.add(handle)).as("met once").isTrue();
                    }
                });
        assertThat(met).isEqualTo(model.keySet());
    }

    private void statistics() {
        HeapStatistics statistics = heap.stats();
        assertThat(statistics.liveObjects()).isGreaterThanOrEqualTo(model.size());
        assertThat(statistics.liveBytes()).isGreaterThanOrEqualTo(liveBytes);
        assertThat(statistics.regionBytes()).isGreaterThanOrEqualTo(statistics.filledBytes());
    }

    /** Looks at all objects. */
    void checkAll() {
        for (long handle : handles) {
            heap.read(handle, segment -> check(handle, segment));
        }
    }

    /** Frees all objects. */
    void end() {
        checkAll();
        List.copyOf(handles).forEach(this::free);
        assertThat(liveBytes).isZero();
    }

    int objects() {
        return model.size();
    }

    long liveBytes() {
        return liveBytes;
    }

    /** How often each operation was done. */
    Map<Operation, Integer> mix() {
        return mix;
    }
}

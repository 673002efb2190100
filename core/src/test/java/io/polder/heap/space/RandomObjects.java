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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
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
        COMPUTE,
        NUMBER,
        PART,
        COMPARE,
        RESIZE,
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
                Operation.COMPUTE,
                Operation.NUMBER,
                Operation.NUMBER,
                Operation.PART,
                Operation.COMPARE,
                Operation.RESIZE,
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
            case COMPUTE -> {
                long handle = pick();
                boolean same = heap.compute(handle, bytes -> check(handle, bytes));
                assertThat(same).isTrue();
            }
            case NUMBER -> number(pick());
            case PART -> part(pick());
            case COMPARE -> compare(pick());
            case RESIZE -> resize(pick());
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
        heap.put(handle, 0, MemorySegment.ofArray(start));
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

    /** Reads, writes, adds to and exchanges a number somewhere; behind the end it is refused. */
    private void number(long handle) {
        byte[] content = expected(handle);
        long behind = Math.max(0, content.length - Long.BYTES + 1L);
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> heap.getLong(handle, behind));
        if (content.length < Long.BYTES) {
            return;
        }
        ByteBuffer model = ByteBuffer.wrap(content).order(ByteOrder.nativeOrder());
        int anywhere = random.nextInt(content.length - Long.BYTES + 1);
        int aligned = anywhere & -Long.BYTES;
        long value = random.nextLong();
        assertThat(heap.getLong(handle, anywhere)).isEqualTo(model.getLong(anywhere));
        assertThat(heap.getInt(handle, anywhere)).isEqualTo(model.getInt(anywhere));
        assertThat(heap.getByte(handle, anywhere)).isEqualTo(model.get(anywhere));
        switch (random.nextInt(6)) {
            case 0 -> {
                heap.setLong(handle, anywhere, value);
                model.putLong(anywhere, value);
            }
            case 1 -> {
                heap.setInt(handle, anywhere, (int) value);
                model.putInt(anywhere, (int) value);
            }
            case 2 -> {
                heap.setByte(handle, anywhere, (byte) value);
                model.put(anywhere, (byte) value);
            }
            case 3 -> {
                long before = model.getLong(aligned);
                assertThat(heap.getAndAddLong(handle, aligned, value)).isEqualTo(before);
                model.putLong(aligned, before + value);
            }
            case 4 -> {
                int before = model.getInt(aligned);
                assertThat(heap.getAndAddInt(handle, aligned, (int) value)).isEqualTo(before);
                model.putInt(aligned, before + (int) value);
            }
            default -> exchange(handle, model, aligned, value);
        }
        assertThat(heap.getLong(handle, anywhere)).isEqualTo(model.getLong(anywhere));
        assertThat(heap.getLong(handle, aligned)).isEqualTo(model.getLong(aligned));
    }

    private void exchange(long handle, ByteBuffer model, int at, long value) {
        long now = model.getLong(at);
        assertThat(heap.compareAndSetLong(handle, at, now + 1, value)).isFalse();
        assertThat(heap.compareAndSetLong(handle, at, now, value)).isTrue();
        model.putLong(at, value);
        int half = model.getInt(at);
        assertThat(heap.compareAndSetInt(handle, at, half + 1, 7)).isFalse();
        assertThat(heap.compareAndSetInt(handle, at, half, 7)).isTrue();
        model.putInt(at, 7);
    }

    /** Copies pieces in and out, by segments and by arrays. */
    private void part(long handle) {
        byte[] content = expected(handle);
        int from = random.nextInt(content.length + 1);
        int count = Math.min(content.length - from, random.nextInt(1 << random.nextInt(14)));
        byte[] piece = randomBytes(count + 2L);
        if (random.nextBoolean()) {
            heap.put(handle, from, piece, 1, count);
        } else {
            heap.put(handle, from, MemorySegment.ofArray(piece).asSlice(1, count));
        }
        System.arraycopy(piece, 1, content, from, count);
        byte[] array = new byte[count + 2];
        heap.get(handle, from, array, 1, count);
        byte[] segment = new byte[count];
        heap.get(handle, from, MemorySegment.ofArray(segment));
        assertThat(Arrays.copyOfRange(array, 1, count + 1)).isEqualTo(segment);
        assertThat(segment).isEqualTo(Arrays.copyOfRange(content, from, from + count));
        assertThat(array[0] | array[count + 1]).isZero();
    }

    private void compare(long handle) {
        byte[] content = expected(handle);
        MemorySegment same = MemorySegment.ofArray(content.clone());
        assertThat(heap.mismatch(handle, same)).isEqualTo(-1);
        assertThat(heap.contentHash(handle)).isEqualTo(RelocatingHeap.contentHash(same));
        if (content.length > 0) {
            int at = random.nextInt(content.length);
            same.set(ValueLayout.JAVA_BYTE, at, (byte) (content[at] + 1));
            assertThat(heap.mismatch(handle, same)).isEqualTo(at);
            assertThat(heap.contentHash(handle)).isNotEqualTo(RelocatingHeap.contentHash(same));
        }
    }

    private void resize(long handle) {
        byte[] content = expected(handle);
        long bytes =
                switch (random.nextInt(4)) {
                    case 0 -> size();
                    case 1 -> Math.max(0, content.length - 8 + random.nextInt(16)); // in place
                    default -> random.nextInt(2 * content.length + 20);
                };
        try {
            heap.resize(handle, bytes);
        } catch (OutOfMemoryError refusal) {
            heap.read(handle, segment -> check(handle, segment));
            refused(refusal);
            return;
        }
        liveBytes += bytes - content.length;
        model.put(handle, Arrays.copyOf(content, (int) bytes));
        heap.read(handle, segment -> check(handle, segment));
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
                            switch (random.nextInt(10)) {
                                case 3 -> heap.getLong(handle, 0);
                                case 4 -> heap.setLong(handle, 0, 1);
                                case 5 -> heap.getAndAddInt(handle, 0, 1);
                                case 6 -> heap.resize(handle, random.nextInt(100));
                                case 7 -> heap.mismatch(handle, MemorySegment.NULL);
                                case 8 -> heap.put(handle, 0, new byte[1], 0, 1);
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

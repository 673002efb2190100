package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

class CacheFileTest extends CacheFixture {
    /** What all reading takes at most; less than the ticker goes while some entries are written. */
    private static final Duration READING = Duration.ofSeconds(40);

    private static final long SLOW_MILLIS = 20;
    private static final Duration SLOW = Duration.ofMillis(SLOW_MILLIS);

    @TempDir private Path folder;

    private OffHeapCache<Long, String> expiring() {
        return longs().expireAfterWrite(Duration.ofHours(1)).build();
    }

    private Path written(int entries) throws IOException {
        Path path = folder.resolve("cache");
        try (OffHeapCache<Long, String> cache = expiring()) {
            for (long key = 0; key < entries; key++) {
                cache.put(key, "value " + key);
            }
            cache.put(-1L, "short", Duration.ofNanos(5));
            clock.addAndGet(5);
            assertThat(cache.writeTo(path)).isEqualTo(entries);
        }
        return path;
    }

    @Test
    void file_thatWasWritten_isRead() throws IOException {
        Path path = written(5000);
        try (OffHeapCache<Long, String> cache = expiring()) {
            cache.put(10_000L, "before");
            assertThat(cache.readFrom(path)).isEqualTo(5000);
            assertThat(cache.size()).isEqualTo(5001);
            assertThat(cache.getIfPresent(77L)).isEqualTo("value 77");
            assertThat(cache.policy().expiresIn(77L).orElseThrow())
                    .isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
            clock.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(cache.getIfPresent(77L)).isNull();
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(path);
        }
    }

    @Test
    void lifetimes_areFromWhenTheWriterBegan() throws IOException {
        Path path = folder.resolve("slowly");
        long[] step = new long[1];
        try (OffHeapCache<Long, String> cache =
                longs().ticker(() -> clock.addAndGet(step[0]))
                        .expireAfterWrite(Duration.ofHours(1))
                        .build()) {
            for (long key = 0; key < 100; key++) {
                cache.put(key, "value " + key);
            }
            step[0] = Duration.ofSeconds(1).toNanos();
            assertThat(cache.writeTo(path)).isEqualTo(100);
        }
        try (OffHeapCache<Long, String> cache = expiring()) {
            assertThat(cache.readFrom(path)).isEqualTo(100);
            for (long key = 0; key < 100; key++) {
                assertThat(cache.policy().expiresIn(key).orElseThrow())
                        .isCloseTo(cache.policy().expiresIn(0L).orElseThrow(), READING)
                        .isGreaterThan(Duration.ofMinutes(55));
            }
        }
    }

    /** The listener is told of each entry of the file that takes the place of one. */
    @Test
    void lifetimes_areNoLongerForWhatIsReadLater() throws IOException {
        Path path = written(2);
        try (OffHeapCache<Long, String> cache =
                longs().removalListener((_, _, _) -> awaitMillis(SLOW_MILLIS))
                        .expireAfterWrite(Duration.ofHours(1))
                        .build()) {
            cache.putAll(Map.of(0L, "old", 1L, "old"));
            assertThat(cache.readFrom(path)).isEqualTo(2);
            Duration zero = cache.policy().expiresIn(0L).orElseThrow();
            Duration one = cache.policy().expiresIn(1L).orElseThrow();
            assertThat(zero.minus(one).abs()).isGreaterThanOrEqualTo(SLOW);
        }
    }

    private static void awaitMillis(long millis) {
        long begin = System.currentTimeMillis();
        while (System.currentTimeMillis() - begin < millis) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void file_thatIsDamaged_isRefusedWhole() throws IOException {
        byte[] good = Files.readAllBytes(written(200));
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Path path = folder.resolve("damaged");
        try (OffHeapCache<Long, String> cache = expiring()) {
            cache.put(7L, "kept");
            for (int i = 0; i < 400; i++) {
                byte[] bad = good.clone();
                if (i % 2 == 0) {
                    bad = Arrays.copyOf(good, random.nextInt(good.length));
                } else {
                    bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
                }
                Files.write(path, bad);
                assertThatThrownBy(() -> cache.readFrom(path))
                        .as("seed=%s", seed)
                        .isInstanceOf(IOException.class);
            }
            Files.write(path, Arrays.copyOf(good, good.length + 1));
            assertThatThrownBy(() -> cache.readFrom(path)).hasMessageContaining("behind its end");
            assertThat(cache.size()).isEqualTo(1);
            assertThat(cache.getIfPresent(7L)).isEqualTo("kept");
        }
    }

    @Test
    void file_withADamagedSize_needsNoMemoryForIt() throws IOException {
        Path path = folder.resolve("damaged");
        int valueBytes = (int) Math.min(Runtime.getRuntime().maxMemory(), Integer.MAX_VALUE - 64);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
                OffHeapCache<Long, String> cache = longs().build()) {
            file.write(Files.readAllBytes(withKeys("long string", 8)));
            file.seek(file.length() - 29); // the size of the value: key, end, count and sum follow
            assertThat(file.readInt()).isZero();
            file.seek(file.length() - 29);
            file.writeInt(valueBytes);
            file.setLength(file.length() + valueBytes + 8L);
            assertThatThrownBy(() -> cache.readFrom(path))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a file must be one of a cache");
            assertThat(cache.size()).isZero();
        }
    }

    private record Xy(int x, int y) {}

    @Test
    void file_ofRecords_saysTheNamesOfTheirComponents() throws IOException {
        Path path = folder.resolve("records");
        String name = Xy.class.getName();
        try (OffHeapCache<Long, Xy> cache =
                OffHeapCache.<Long, Xy>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.records(MethodHandles.lookup(), Xy.class))
                        .pool(pool)
                        .build()) {
            cache.put(1L, new Xy(11, 22));
            assertThat(cache.writeTo(path)).isEqualTo(1);
            assertThat(cache.readFrom(path)).isEqualTo(1);
            byte[] good = Files.readAllBytes(path);
            String format = "long " + name + "(x INT,y INT)";
            assertThat(new String(good, StandardCharsets.ISO_8859_1)).contains(format);
            for (String other : List.of("(y INT,x INT)", "(INT,INT)")) {
                Path swapped = withKeys("long " + name + other);
                assertThatThrownBy(() -> cache.readFrom(swapped))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("of other codecs: file's=long " + name + other);
            }
        }
    }

    record A(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {}

    record B(A a, A b, A c, A d, A e, A f, A g, A h, A i, A j) {}

    record C(B a, B b, B c, B d, B e, B f, B g, B h, B i, B j) {}

    record D(C a, C b, C c, C d, C e, C f, C g, C h, C i, C j) {}

    private <R extends Record> OffHeapCache<Long, R> records(Class<R> type) {
        return OffHeapCache.<Long, R>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.records(type))
                .pool(pool)
                .build();
    }

    @Test
    @SuppressWarnings("NullAway") // records may be null; what is tested is their names
    void file_ofRecordsOfManyComponents_isRead() throws IOException {
        assertThat(Codec.records(D.class).format()).hasSizeGreaterThan(0x10000);
        Path path = folder.resolve("records");
        D value = new D(null, null, null, null, null, null, null, null, null, null);
        try (OffHeapCache<Long, D> cache = records(D.class);
                OffHeapCache<Long, D> other = records(D.class);
                OffHeapCache<Long, C> ofOthers = records(C.class)) {
            cache.put(1L, value);
            assertThat(cache.writeTo(path)).isEqualTo(1);
            assertThat(other.readFrom(path)).isEqualTo(1);
            assertThat(other.getIfPresent(1L)).isEqualTo(value);
            assertThatThrownBy(() -> ofOthers.readFrom(path))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("codecs: file's=long " + D.class.getName() + "(a ")
                    .satisfies(thrown -> assertThat(thrown.getMessage()).hasSizeLessThan(2000));
        }
    }

    @Test
    void file_withADamagedSizeOfCodecs_isRefused() throws IOException {
        byte[] good = Files.readAllBytes(written(3));
        Path path = folder.resolve("damaged");
        try (OffHeapCache<Long, String> cache = expiring()) {
            for (int size : new int[] {Integer.MIN_VALUE, -1, 0, 10, 12, 900, Integer.MAX_VALUE}) {
                ByteBuffer.wrap(good).putInt(12, size);
                Files.write(path, good);
                assertThatThrownBy(() -> cache.readFrom(path))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("a file must be one of a cache");
            }
            assertThat(cache.size()).isZero();
        }
    }

    @Test
    void writeTo_anotherFileSystem_replacesWhatIsThere() throws IOException {
        try (FileSystem zip =
                        FileSystems.newFileSystem(folder.resolve("zip"), Map.of("create", "true"));
                OffHeapCache<Long, String> cache = longs().build()) {
            Path path = zip.getPath("/cache");
            for (long key = 0; key < 3; key++) {
                cache.put(key, "value");
                assertThat(cache.writeTo(path)).isEqualTo(key + 1);
                assertThat(cache.readFrom(path)).isEqualTo(key + 1);
            }
            NewFile.at(path).close(); // it was not completed
            assertThat(cache.readFrom(path)).isEqualTo(3);
            try (Stream<Path> files = Files.list(zip.getPath("/"))) {
                assertThat(files).containsExactly(path);
            }
        }
    }

    /** What is written to a zip file comes into a temporary one beside it first. */
    @Test
    void writeTo_aZipFileWhoseFolderIsGone_isRefusedAndLeavesNothing() throws IOException {
        Path there = Files.createDirectory(folder.resolve("there"));
        Path moved = folder.resolve("moved");
        try (FileSystem zip =
                        FileSystems.newFileSystem(there.resolve("zip"), Map.of("create", "true"));
                OffHeapCache<Long, String> cache = longs().build()) {
            Path path = zip.getPath("/cache");
            Files.move(there, moved);
            assertThatThrownBy(() -> cache.writeTo(path)).isInstanceOf(NoSuchFileException.class);
            Files.createFile(there);
            assertThatThrownBy(() -> cache.writeTo(path)).isInstanceOf(FileSystemException.class);
            try (Stream<Path> files = Files.list(zip.getPath("/"))) {
                assertThat(files).isEmpty();
            }
            Files.delete(there);
            Files.move(moved, there);
        }
    }

    @Test
    void writeTo_aLongNameOrALinkToIt_writesThatFile() throws IOException {
        Path path = folder.resolve("n".repeat(255));
        Path other = Files.createDirectory(folder.resolve("other"));
        Path link = Files.createSymbolicLink(other.resolve("link"), Path.of("..", "second"));
        Path second = Files.createSymbolicLink(folder.resolve("second"), path.getFileName());
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (long key = 0; key < 3; key++) { // nothing is there at first
                cache.put(key, "one");
                assertThat(cache.writeTo(link)).isEqualTo(key + 1);
                assertThat(cache.readFrom(path)).isEqualTo(key + 1);
            }
            assertThat(cache.writeTo(path)).isEqualTo(3);
            assertThat(cache.readFrom(link)).isEqualTo(3);
        }
        assertThat(link).isSymbolicLink();
        assertThat(second).isSymbolicLink();
        assertThat(path).isRegularFile();
    }

    @Test
    void writeTo_whatIsNoRegularFile_isRefusedAndStays() throws IOException {
        Path socket = folder.resolve("socket");
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        try (OffHeapCache<Long, String> cache = longs().build();
                ServerSocketChannel bound = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            bound.bind(UnixDomainSocketAddress.of(socket));
            assertThatThrownBy(() -> cache.writeTo(socket))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("a cache is written to a regular file");
            assertThatThrownBy(() -> cache.writeTo(loop))
                    .isInstanceOf(FileSystemLoopException.class);
            assertThat(Files.isRegularFile(socket)).isFalse();
            assertThat(loop).isSymbolicLink();
        }
    }

    @Test
    void file_ofOtherCodecs_isRefused() throws IOException {
        Path path = written(3);
        try (OffHeapCache<String, String> cache =
                OffHeapCache.<String, String>builder()
                        .keyCodec(Codec.strings())
                        .valueCodec(Codec.strings())
                        .pool(pool)
                        .build()) {
            assertThatThrownBy(() -> cache.readFrom(path))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("file's=long string, cache's=string string: path=");
            assertThat(cache.size()).isZero();
        }
    }

    /** However short it is; and one of a cache is so however short it became. */
    @Test
    void file_ofOthers_isNotSaidToBeCutOff() throws IOException {
        byte[] whole = Files.readAllBytes(written(3));
        Path path = folder.resolve("other");
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (String text : List.of("a", "text", "some text", "POLDERCX and more")) {
                Files.writeString(path, text);
                assertThatThrownBy(() -> cache.readFrom(path))
                        .isInstanceOf(IOException.class)
                        .hasMessageEndingWith("it was not written by a cache: path=" + path);
            }
            for (int bytes = 0; bytes < whole.length; bytes++) {
                Files.write(path, Arrays.copyOf(whole, bytes));
                assertThatThrownBy(() -> cache.readFrom(path))
                        .isInstanceOf(IOException.class)
                        .hasMessageEndingWith("it is cut off: path=" + path);
            }
            assertThat(cache.size()).isZero();
        }
    }

    /** A codec that says what is written by which of its kind. */
    private record Shifted(int by) implements Codec<Long> {
        @Override
        public long size(Long value) {
            return Long.BYTES;
        }

        @Override
        public void write(Long value, MemorySegment to) {
            to.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value + by);
        }

        @Override
        public Long read(MemorySegment from) {
            return from.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) - by;
        }

        @Override
        public String format() {
            return "shifted by " + by;
        }
    }

    private OffHeapCache<Long, Long> shifted(int by) {
        return OffHeapCache.<Long, Long>builder()
                .keyCodec(Codec.longs())
                .valueCodec(new Shifted(by))
                .pool(pool)
                .build();
    }

    @Test
    void file_ofACodecThatSaysMore_isReadByOneThatSaysTheSame() throws IOException {
        Path path = folder.resolve("shifted");
        try (OffHeapCache<Long, Long> cache = shifted(1);
                OffHeapCache<Long, Long> same = shifted(1);
                OffHeapCache<Long, Long> other = shifted(2)) {
            cache.put(1L, 7L);
            assertThat(cache.writeTo(path)).isEqualTo(1);
            assertThat(same.readFrom(path)).isEqualTo(1);
            assertThat(same.getIfPresent(1L)).isEqualTo(7L);
            assertThatThrownBy(() -> other.readFrom(path))
                    .hasMessageContaining("file's=long shifted by 1, cache's=long shifted by 2");
        }
    }

    /** Two entries of a cache without expiry. */
    private Path writtenForEver() throws IOException {
        Path path = folder.resolve("forever");
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(1L, "one");
            cache.put(2L, "two");
            assertThat(cache.writeTo(path)).isEqualTo(2);
        }
        return path;
    }

    @Test
    void file_ofACacheWithoutExpiry_isReadAsIfItWerePutNow() throws IOException {
        Path path = writtenForEver();
        List<OffHeapCacheBuilder<Long, String>> builders =
                List.of(
                        longs().expireAfterWrite(Duration.ofMinutes(2)),
                        longs().expireAfterAccess(Duration.ofMinutes(2)),
                        longs().expireAfter((key, _) -> Duration.ofMinutes(2 * key)));
        for (int i = 0; i < builders.size(); i++) {
            try (OffHeapCache<Long, String> cache = builders.get(i).build()) {
                clock.addAndGet(Duration.ofDays(1).toNanos());
                assertThat(cache.readFrom(path)).isEqualTo(2);
                assertThat(cache.policy().expiresIn(1L)).contains(Duration.ofMinutes(2));
                assertThat(cache.policy().expiresIn(2L))
                        .contains(Duration.ofMinutes(i == 2 ? 4 : 2));
                clock.addAndGet(Duration.ofMinutes(2).toNanos());
                assertThat(cache.getIfPresent(1L)).isNull();
            }
        }
    }

    @Test
    void file_ofACacheWithExpiry_isReadForEverByOneWithout() throws IOException {
        Path path = written(3);
        try (OffHeapCache<Long, String> cache = longs().build()) {
            assertThat(cache.readFrom(path)).isEqualTo(3);
            clock.addAndGet(Duration.ofDays(1).toNanos());
            assertThat(cache.getIfPresent(2L)).isEqualTo("value 2");
        }
    }

    @Test
    void file_withEntriesThatLiveForEver_leavesThemSo() throws IOException {
        Path path = folder.resolve("cache");
        try (OffHeapCache<Long, String> cache = expiring()) {
            cache.put(1L, "one", Duration.ofSeconds(Long.MAX_VALUE));
            assertThat(cache.writeTo(path)).isEqualTo(1);
        }
        try (OffHeapCache<Long, String> cache = expiring()) {
            assertThat(cache.readFrom(path)).isEqualTo(1);
            clock.addAndGet(Duration.ofDays(1000).toNanos());
            assertThat(cache.getIfPresent(1L)).isEqualTo("one");
        }
    }

    @Test
    void writeTo_aFolder_isRefused() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (Path path : List.of(folder, Path.of("/"), Path.of(""))) {
                assertThatThrownBy(() -> cache.writeTo(path))
                        .isInstanceOf(IOException.class)
                        .hasMessageEndingWith("this is a folder, a device or a pipe");
            }
            assertThat(folder).isEmptyDirectory();
        }
    }

    @Test
    void writeTo_thatFails_leavesWhatWasThere() throws IOException {
        Path path = folder.resolve("nowhere").resolve("cache");
        try (OffHeapCache<Long, String> cache = expiring()) {
            assertThatThrownBy(() -> cache.writeTo(path))
                    .isInstanceOf(NoSuchFileException.class)
                    .hasMessage(
                            "%s: the folder of a file must be there: folder=%s",
                            path, path.getParent());
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    /** A file as a cache writes it, with keys of these sizes. */
    private Path withKeys(String format, int... sizes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(0x504F_4C44_4552_4341L);
        out.writeInt(2);
        out.writeInt(format.length());
        out.writeBytes(format);
        out.writeLong(System.currentTimeMillis());
        for (int size : sizes) {
            out.writeByte(1);
            out.writeLong(Long.MAX_VALUE);
            out.writeInt(size);
            out.writeInt(0);
            out.write(new byte[size]);
        }
        out.writeByte(0);
        out.writeLong(sizes.length);
        CRC32C sum = new CRC32C();
        sum.update(bytes.toByteArray());
        out.writeLong(sum.getValue());
        return Files.write(folder.resolve("keys"), bytes.toByteArray());
    }

    @Test
    void file_withKeysOfImpossibleSizes_isRefused() throws IOException {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Path path = withKeys("long string", 8, 3);
            assertThatThrownBy(() -> cache.readFrom(path))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a size that no key has");
            assertThat(cache.size()).isZero();
        }
        try (OffHeapCache<String, byte[]> cache =
                OffHeapCache.<String, byte[]>builder()
                        .keyCodec(Codec.strings())
                        .valueCodec(Codec.bytes())
                        .pool(pool)
                        .build()) {
            Path path = withKeys("string bytes", 10, (1 << 20) + 1);
            assertThatThrownBy(() -> cache.readFrom(path))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a size that no key has");
            assertThat(cache.size()).isZero();
            assertThat(cache.readFrom(withKeys("string bytes", 10, 1 << 20))).isEqualTo(2);
        }
    }
}

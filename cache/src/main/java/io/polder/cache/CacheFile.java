package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * The entries of a cache in a file.
 *
 * <pre>{@code
 *   8 bytes   POLDERCA
 *   4         version
 *   4         size of what follows
 *             the codecs, in UTF-8
 *   8         when it was written, in milliseconds since 1970
 *   for each entry:
 *     1       1
 *     8       how long it lives from then on, in nanoseconds; -1 if the cache had no expiry
 *     4, 4    sizes of key and value
 *             key, value
 *   1         0
 *   8         how many entries
 *   8         CRC-32C of all before
 * }</pre>
 *
 * <p>Numbers are big-endian. A file is read twice: to check it, and then to put its entries. Only
 * then are they in memory, since a size in a damaged file may be anything.
 *
 * <p>One large entry at a time is copied to be written or read, outside the Java heap, which may
 * have less room than it takes. It is not written from its place: compaction would wait for the
 * file.
 */
final class CacheFile {
    private static final long MAGIC = 0x504F_4C44_4552_4341L;
    private static final int VERSION = 2;
    private static final int BUFFER_BYTES = 1 << 16;

    /** Of what a file has for its codecs a message says this at most: it may be anything. */
    private static final int SAID_BYTES = 800;

    private static final int ENTRY = 1;
    private static final int END = 0;

    /** A lifetime of entries of a cache without expiry. */
    static final long NO_EXPIRY = -1;

    /** Reads key and value of an entry, which come next. */
    private interface Sink {
        void entry(DataInputStream in, int keyBytes, int valueBytes, long lifetimeNanos)
                throws IOException;
    }

    private CacheFile() {}

    static <K, V> long write(Path path, String format, Turns<K, V> turns) throws IOException {
        try (NewFile file = NewFile.at(path)) {
            OutputStream buffer = new BufferedOutputStream(file.content(), BUFFER_BYTES);
            long count = write(buffer, format, turns);
            file.complete();
            return count;
        }
    }

    private static <K, V> long write(OutputStream to, String format, Turns<K, V> turns)
            throws IOException {
        CRC32C sum = new CRC32C();
        DataOutputStream out = new DataOutputStream(new CheckedOutputStream(to, sum));
        out.writeLong(MAGIC);
        out.writeInt(VERSION);
        byte[] codecs = format.getBytes(StandardCharsets.UTF_8);
        out.writeInt(codecs.length);
        out.write(codecs);
        out.writeLong(System.currentTimeMillis());
        long begin = turns.deadlines.now();
        long count = 0;
        Cursor cursor = new Cursor(turns.store);
        for (List<Met> found = cursor.next(); found != null; found = cursor.next()) {
            for (Met met : found) {
                if (write(out, met, turns, begin)) {
                    count++;
                }
            }
        }
        out.writeByte(END);
        out.writeLong(count);
        out.writeLong(sum.getValue());
        out.flush();
        return count;
    }

    /** Writes an entry, unless it is gone or has expired; returns whether it has. */
    private static <K, V> boolean write(
            DataOutputStream out, Met met, Turns<K, V> turns, long begin) throws IOException {
        if (met.isWhole()) {
            return write(out, met.segment(), turns, begin);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy =
                    turns.codec.read(
                            met, entry -> arena.allocate(entry.byteSize()).copyFrom(entry));
            return copy != null && write(out, copy, turns, begin);
        }
    }

    private static <K, V> boolean write(
            DataOutputStream out, MemorySegment entry, Turns<K, V> turns, long begin)
            throws IOException {
        EntryLayout layout = turns.store.entries.layout;
        long lifetime =
                turns.deadlines.isOn()
                        ? turns.deadlines.left(layout.deadline(entry), begin)
                        : NO_EXPIRY;
        if (lifetime == 0) {
            return false;
        }
        MemorySegment key = layout.key(entry);
        MemorySegment value = layout.value(entry);
        out.writeByte(ENTRY);
        out.writeLong(lifetime);
        out.writeInt((int) key.byteSize());
        out.writeInt((int) value.byteSize());
        write(out, key);
        write(out, value);
        return true;
    }

    /** Writes bytes, a piece at a time. */
    private static void write(DataOutputStream out, MemorySegment bytes) throws IOException {
        byte[] piece = new byte[(int) Math.min(BUFFER_BYTES, bytes.byteSize())];
        for (long at = 0; at < bytes.byteSize(); at += piece.length) {
            int length = (int) Math.min(piece.length, bytes.byteSize() - at);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, piece, 0, length);
            out.write(piece, 0, length);
        }
    }

    static <K, V> long read(Path path, String format, Operations<K, V> operations)
            throws IOException {
        EntryCodec<K, V> codec = operations.turns.codec;
        Writes<K, V> writes = operations.writes;
        long[] count = new long[1];
        scan(path, format, codec, (in, key, value, _) -> in.skipNBytes((long) key + value));
        scan(
                path,
                format,
                codec,
                (in, keyBytes, valueBytes, lifetime) -> {
                    if (lifetime == 0) {
                        in.skipNBytes((long) keyBytes + valueBytes);
                        return;
                    }
                    byte[] key = new byte[keyBytes];
                    in.readFully(key);
                    try (Arena arena = Arena.ofConfined()) {
                        MemorySegment value = null;
                        if (writes.wantsBytes(keyBytes, valueBytes)) {
                            value = readValue(in, valueBytes, arena);
                        } else {
                            in.skipNBytes(valueBytes);
                        }
                        if (writes.putBytes(key, value, lifetime)) {
                            count[0]++;
                        }
                    }
                });
        return count[0];
    }

    /** Reads bytes, many a piece at a time, outside the Java heap. */
    private static MemorySegment readValue(DataInputStream in, int bytes, Arena arena)
            throws IOException {
        byte[] piece = new byte[Math.min(BUFFER_BYTES, bytes)];
        if (bytes == piece.length) {
            in.readFully(piece);
            return MemorySegment.ofArray(piece);
        }
        MemorySegment value = arena.allocate(bytes, Long.BYTES);
        for (long at = 0; at < bytes; at += piece.length) {
            int length = (int) Math.min(piece.length, bytes - at);
            in.readFully(piece, 0, length);
            MemorySegment.copy(piece, 0, value, ValueLayout.JAVA_BYTE, at, length);
        }
        return value.asReadOnly();
    }

    /** Reads a file to its end, and gives the sink its entries before it may be found damaged. */
    private static void scan(Path path, String format, EntryCodec<?, ?> codec, Sink sink)
            throws IOException {
        CRC32C sum = new CRC32C();
        try (InputStream file = Files.newInputStream(path);
                InputStream buffer = new BufferedInputStream(file, BUFFER_BYTES)) {
            DataInputStream in = new DataInputStream(new CheckedInputStream(buffer, sum));
            checkMagic(in, path);
            int version = in.readInt();
            check(version == VERSION, path, "its version is " + version);
            checkCodecs(in, format.getBytes(StandardCharsets.UTF_8), path);
            long writtenMillis = in.readLong();
            long count = 0;
            int kind = in.readUnsignedByte();
            for (; kind == ENTRY; kind = in.readUnsignedByte()) {
                long lifetime = in.readLong();
                int keyBytes = in.readInt();
                int valueBytes = in.readInt();
                check(keyBytes >= 0 && valueBytes >= 0, path, "it is damaged");
                check(codec.isKeySize(keyBytes), path, "a key has a size that no key has");
                sink.entry(in, keyBytes, valueBytes, left(lifetime, writtenMillis));
                count++;
            }
            check(kind == END && in.readLong() == count, path, "it is damaged");
            long expected = sum.getValue();
            check(in.readLong() == expected, path, "its checksum is another one");
            check(in.read() < 0, path, "there is more behind its end");
        } catch (EOFException e) {
            throw refused(path, "it is cut off", e);
        }
    }

    /** A short file of others is one of others, and not a truncated one. */
    private static void checkMagic(DataInputStream in, Path path) throws IOException {
        byte[] found = in.readNBytes(Long.BYTES);
        byte[] magic = ByteBuffer.allocate(Long.BYTES).putLong(MAGIC).array();
        check(
                Arrays.equals(found, Arrays.copyOf(magic, found.length)),
                path,
                "it was not written by a cache");
        if (found.length < Long.BYTES) {
            throw new EOFException();
        }
    }

    private static void checkCodecs(DataInputStream in, byte[] own, Path path) throws IOException {
        int bytes = in.readInt();
        byte[] written = new byte[Math.clamp(bytes, 0, Math.max(own.length, SAID_BYTES))];
        in.readFully(written);
        check(
                bytes == own.length && Arrays.equals(written, own),
                path,
                "it is of other codecs: file's=" + said(written) + ", cache's=" + said(own));
    }

    private static String said(byte[] codecs) {
        int bytes = Math.min(codecs.length, SAID_BYTES);
        return new String(codecs, 0, bytes, StandardCharsets.UTF_8);
    }

    /** What is left now, since a file may be read for long, of a lifetime; 0 if it is over. */
    private static long left(long lifetime, long writtenMillis) {
        if (lifetime == Long.MAX_VALUE || lifetime == NO_EXPIRY) {
            return lifetime;
        }
        long agedMillis = Math.max(0, System.currentTimeMillis() - writtenMillis);
        return Math.max(0, lifetime - agedMillis * 1_000_000);
    }

    private static void check(boolean holds, Path path, String otherwise) throws IOException {
        if (!holds) {
            throw refused(path, otherwise, null);
        }
    }

    private static IOException refused(Path path, String why, @Nullable Throwable cause) {
        return new IOException(
                "a file must be one of a cache with the same codecs: " + why + ": path=" + path,
                cause);
    }
}

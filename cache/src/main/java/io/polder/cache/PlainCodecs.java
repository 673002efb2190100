package io.polder.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** The codecs of single values; numbers are little-endian. */
final class PlainCodecs {
    static final Codec<byte[]> BYTES = new Bytes();
    static final Codec<String> STRINGS = new Strings();
    static final Codec<Long> LONGS = new Longs();
    static final Codec<Integer> INTS = new Ints();
    static final Codec<MemorySegment> SEGMENTS = new Segments();

    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final VarHandle LONGS_OF_ARRAY =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private PlainCodecs() {}

    static final class Bytes implements PlainCodec<byte[]> {
        @Override
        public long size(byte[] value) {
            return value.length;
        }

        @Override
        public void write(byte[] value, MemorySegment to) {
            MemorySegment.copy(value, 0, to, ValueLayout.JAVA_BYTE, 0, value.length);
        }

        @Override
        public byte[] read(MemorySegment from) {
            byte[] value = new byte[Math.toIntExact(from.byteSize())];
            MemorySegment.copy(from, ValueLayout.JAVA_BYTE, 0, value, 0, value.length);
            return value;
        }

        @Override
        public void write(byte[] value, byte[] to, int bytes) {
            System.arraycopy(value, 0, to, 0, bytes);
        }

        @Override
        public byte[] read(byte[] from, int at, int bytes) {
            return Arrays.copyOfRange(from, at, at + bytes);
        }

        @Override
        public String format() {
            return "bytes";
        }
    }

    /** Bytes that were written before, of a value that nobody reads from them here. */
    static final class Segments implements PlainCodec<MemorySegment> {
        @Override
        public long size(MemorySegment value) {
            return value.byteSize();
        }

        @Override
        public void write(MemorySegment value, MemorySegment to) {
            to.copyFrom(value);
        }

        @Override
        public MemorySegment read(MemorySegment from) {
            throw new UnsupportedOperationException("a value is read by its own codec");
        }
    }

    /** A byte that is 0 for Latin-1 and 1 for UTF-16, little-endian, then the characters. */
    static final class Strings implements PlainCodec<String> {
        private static final byte LATIN_1 = 0;
        private static final byte UTF_16 = 1;

        private static boolean isLatin1(String value) {
            for (int i = 0; i < value.length(); i++) {
                if (value.charAt(i) > 0xFF) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public long size(String value) {
            long length = value.length();
            return 1 + (isLatin1(value) ? length : 2 * length);
        }

        @Override
        public void write(String value, MemorySegment to) {
            boolean latin1 = isLatin1(value);
            to.set(ValueLayout.JAVA_BYTE, 0, latin1 ? LATIN_1 : UTF_16);
            if (latin1) {
                byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
                MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, 1, bytes.length);
                return;
            }
            for (int i = 0; i < value.length(); i++) { // as they are, unpaired surrogates too
                char c = value.charAt(i);
                to.set(ValueLayout.JAVA_BYTE, 1 + 2L * i, (byte) c);
                to.set(ValueLayout.JAVA_BYTE, 2 + 2L * i, (byte) (c >>> Byte.SIZE));
            }
        }

        @Override
        public String read(MemorySegment from) {
            byte[] bytes = from.asSlice(1).toArray(ValueLayout.JAVA_BYTE);
            if (from.get(ValueLayout.JAVA_BYTE, 0) == LATIN_1) {
                return new String(bytes, StandardCharsets.ISO_8859_1);
            }
            char[] chars = new char[bytes.length / 2];
            for (int i = 0; i < chars.length; i++) {
                chars[i] = (char) ((bytes[2 * i] & 0xFF) | (bytes[2 * i + 1] << Byte.SIZE));
            }
            return new String(chars);
        }

        @Override
        public String format() {
            return "string";
        }
    }

    static final class Longs implements PlainCodec<Long> {
        @Override
        public long size(Long value) {
            return Long.BYTES;
        }

        @Override
        public void write(Long value, MemorySegment to) {
            to.set(LONG, 0, value);
        }

        @Override
        public Long read(MemorySegment from) {
            return from.get(LONG, 0);
        }

        @Override
        public void write(Long value, byte[] to, int bytes) {
            LONGS_OF_ARRAY.set(to, 0, (long) value);
        }

        @Override
        public Long read(byte[] from, int at, int bytes) {
            int _ = Objects.checkFromIndexSize(0, Long.BYTES, bytes);
            return (long) LONGS_OF_ARRAY.get(from, at);
        }

        @Override
        public int fixedBytes() {
            return Long.BYTES;
        }

        @Override
        public String format() {
            return "long";
        }
    }

    static final class Ints implements PlainCodec<Integer> {
        @Override
        public long size(Integer value) {
            return Integer.BYTES;
        }

        @Override
        public void write(Integer value, MemorySegment to) {
            to.set(INT, 0, value);
        }

        @Override
        public Integer read(MemorySegment from) {
            return from.get(INT, 0);
        }

        @Override
        public int fixedBytes() {
            return Integer.BYTES;
        }

        @Override
        public String format() {
            return "int";
        }
    }
}

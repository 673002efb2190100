package io.polder.cache.caffeine;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;

import io.polder.cache.Codec;

import tools.jackson.databind.ObjectMapper;
import tools.jackson.dataformat.smile.SmileMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;

/** The examples of docs/cache.md of codecs by libraries, which need no Caffeine. */
final class CodecSnippets {
    private CodecSnippets() {}

    // @start region="smile"
    private static final ObjectMapper SMILE = new SmileMapper();

    static <T> Codec<T> smile(Class<T> type) {
        return Codec.of(
                "smile:" + type.getName(),
                SMILE::writeValueAsBytes,
                bytes -> SMILE.readValue(bytes, type));
    }

    // @end

    // @start region="kryo"
    static <T> Codec<T> kryo(Class<T> type, ThreadLocal<Kryo> kryo) {
        return Codec.of(
                "kryo:" + type.getName(),
                value -> {
                    Output output = new Output(256, -1);
                    kryo.get().writeObject(output, value);
                    return output.toBytes();
                },
                bytes -> kryo.get().readObject(new Input(bytes), type));
    }

    // @end

    // @start region="protobuf"
    record Protobuf<T extends MessageLite>(Parser<T> parser, String format) implements Codec<T> {
        @Override
        public long size(T value) {
            return value.getSerializedSize();
        }

        @Override
        public void write(T value, MemorySegment to) {
            try {
                CodedOutputStream output = CodedOutputStream.newInstance(to.asByteBuffer());
                value.writeTo(output);
                output.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public T read(MemorySegment from) {
            try {
                return parser.parseFrom(from.asByteBuffer());
            } catch (InvalidProtocolBufferException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
    // @end
}

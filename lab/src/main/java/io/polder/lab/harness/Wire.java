package io.polder.lab.harness;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;

import java.time.Duration;

/** Records as lines of JSON, and back. Durations are written as {@link Duration#toString}. */
public final class Wire {
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    // What a record computes is not part of it.
                    .visibility(PropertyAccessor.IS_GETTER, Visibility.NONE)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(Duration.class, ToStringSerializer.instance)
                                    .addDeserializer(Duration.class, new DurationReader()))
                    .build();

    private Wire() {}

    private static final class DurationReader extends FromStringDeserializer<Duration> {
        private static final long serialVersionUID = 1L;

        DurationReader() {
            super(Duration.class);
        }

        @Override
        protected Duration _deserialize(
                String text, com.fasterxml.jackson.databind.DeserializationContext context) {
            return Duration.parse(text);
        }
    }

    /** A line that {@link #read} makes the same record of. */
    public static String line(Record value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a record must have a form in JSON: " + value, e);
        }
    }

    /** The same as {@link #line}, as a part of another record. */
    static JsonNode tree(Record value) {
        return MAPPER.valueToTree(value);
    }

    /**
     * Reads what {@link #line} wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static <T> T read(String line, Class<T> type) {
        try {
            return MAPPER.readValue(line, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "not a " + type.getSimpleName() + ": line=" + line, e);
        }
    }

    /**
     * Reads what {@link #tree} wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static <T> T read(JsonNode tree, Class<T> type) {
        try {
            return MAPPER.treeToValue(tree, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "not a " + type.getSimpleName() + ": tree=" + tree, e);
        }
    }
}

package io.polder.tools.result;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.util.RawValue;

import java.io.IOException;
import java.io.Serial;

/**
 * Writes JSON, indented by two spaces, as Jackson does; all of it is ASCII. So it is the same
 * whatever the encoding of where it is printed, and names that are no text in any can be written.
 *
 * <p>Maps keep their order, so a file written twice differs only where a value does.
 */
public final class Json {
    private static final JsonFactory ASCII =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
    private static final ObjectMapper MAPPER =
            new ObjectMapper(ASCII)
                    .registerModule(new SimpleModule().addSerializer(new FiniteNumber()));
    private static final ObjectWriter WRITER = MAPPER.writer(printer());
    private static final ObjectWriter LINE_WRITER = MAPPER.writer();

    private Json() {}

    private static DefaultPrettyPrinter printer() {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        Separators separators =
                Separators.createDefaultInstance()
                        .withObjectFieldValueSpacing(Spacing.AFTER)
                        .withObjectEmptySeparator("")
                        .withArrayEmptySeparator("");
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(separators);
        printer.indentObjectsWith(lines);
        printer.indentArraysWith(lines);
        return printer;
    }

    /**
     * Writes a value with a line end after it.
     *
     * @throws IllegalArgumentException for anything JSON has no form for
     */
    public static String write(Object value) {
        return write(WRITER, value);
    }

    /**
     * Writes a value as one line.
     *
     * @throws IllegalArgumentException for anything JSON has no form for
     */
    public static String line(Object value) {
        return write(LINE_WRITER, value);
    }

    private static String write(ObjectWriter writer, Object value) {
        try {
            return writer.writeValueAsString(value) + '\n';
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("JSON has no form for this: " + value, e);
        }
    }

    /** Text that is JSON already, taken over as it is. */
    public static Object raw(String text) {
        return new RawValue(text.strip());
    }

    /** JSON has no others; Jackson writes them as text. */
    private static final class FiniteNumber extends StdSerializer<Double> {
        @Serial private static final long serialVersionUID = 1L;

        FiniteNumber() {
            super(Double.class);
        }

        @Override
        public void serialize(Double value, JsonGenerator to, SerializerProvider context)
                throws IOException {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException("JSON has no such number: value=" + value);
            }
            to.writeNumber(value);
        }
    }
}

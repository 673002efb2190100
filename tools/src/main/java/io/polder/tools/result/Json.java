package io.polder.tools.result;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Writes JSON: maps, lists, strings, numbers and booleans, indented by two spaces.
 *
 * <p>Maps keep their order, so a file written twice differs only where a value does. There is no
 * reader: nothing here reads JSON.
 */
public final class Json {
    private static final String INDENT = "  ";

    private final StringBuilder out = new StringBuilder();

    private Json() {}

    /**
     * Text that is JSON already, taken over as it is.
     *
     * @param text one JSON value
     */
    public record Raw(String text) {}

    /**
     * Writes a value with a line end after it.
     *
     * @param value a map with string keys, a list, a string, a finite number, a boolean or {@link
     *     Raw}
     * @throws IllegalArgumentException for anything JSON has no form for
     */
    public static String write(Object value) {
        Json json = new Json();
        json.value(value, 0);
        return json.out.append('\n').toString();
    }

    private void value(Object value, int depth) {
        switch (value) {
            case Map<?, ?> map -> map(map, depth);
            case List<?> list -> list(list, depth);
            case String text -> string(text);
            case Raw raw -> out.append(raw.text().strip());
            case Boolean bool -> out.append(bool);
            case Double number when !Double.isFinite(number) ->
                    throw new IllegalArgumentException("JSON has no such number: value=" + number);
            case Double number -> out.append(number);
            case Integer number -> out.append(number);
            case Long number -> out.append(number);
            default ->
                    throw new IllegalArgumentException(
                            "JSON has no such type: type=" + value.getClass().getName());
        }
    }

    private void map(Map<?, ?> map, int depth) {
        if (map.isEmpty()) {
            out.append("{}");
            return;
        }
        out.append('{');
        for (Iterator<? extends Map.Entry<?, ?>> i = map.entrySet().iterator(); i.hasNext(); ) {
            Map.Entry<?, ?> entry = i.next();
            newLine(depth + 1);
            string((String) entry.getKey());
            out.append(": ");
            value(entry.getValue(), depth + 1);
            out.append(i.hasNext() ? "," : "");
        }
        newLine(depth);
        out.append('}');
    }

    private void list(List<?> list, int depth) {
        if (list.isEmpty()) {
            out.append("[]");
            return;
        }
        out.append('[');
        for (Iterator<?> i = list.iterator(); i.hasNext(); ) {
            newLine(depth + 1);
            value(i.next(), depth + 1);
            out.append(i.hasNext() ? "," : "");
        }
        newLine(depth);
        out.append(']');
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ') {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private void newLine(int depth) {
        out.append('\n').append(INDENT.repeat(depth));
    }
}

package io.polder.tools.live;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/** Open data of MXBeans as maps and lists, which can be written as JSON. */
final class OpenData {
    private OpenData() {}

    /** A record as a map, by the names of its components; what is null is left out. */
    static Map<String, Object> map(CompositeData data) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (String key : data.getCompositeType().keySet()) {
            Object value = data.get(key);
            if (value != null) {
                map.put(key, value(value));
            }
        }
        return map;
    }

    private static Object value(Object value) {
        return switch (value) {
            case CompositeData data -> map(data);
            case Object[] array -> list(array);
            default -> value;
        };
    }

    private static List<Object> list(@Nullable Object[] array) {
        List<Object> list = new ArrayList<>();
        for (Object each : array) {
            if (each != null) {
                list.add(value(each));
            }
        }
        return list;
    }

    /** A number of a record, 0 if it has none of that name: the JVM may have another version. */
    static long number(CompositeData data, String... path) {
        return at(data, path) instanceof Number number ? number.longValue() : 0;
    }

    /** A word of a record, empty if it has none of that name. */
    static String word(CompositeData data, String... path) {
        return at(data, path) instanceof String word ? word : "";
    }

    /** What stands at a path of names, null if nothing does. */
    static @Nullable Object at(CompositeData data, String... path) {
        @Nullable Object at = data;
        for (String name : path) {
            if (!(at instanceof CompositeData record) || !record.containsKey(name)) {
                return null;
            }
            at = record.get(name);
        }
        return at;
    }
}

package io.polder.tools.live;

import io.polder.tools.html.PoolArea;
import io.polder.tools.html.PoolArea.Piece;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/** Open data of MXBeans as maps and lists, which can be written as JSON, and as what they are. */
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

    /** The areas of a map, in which equal pieces are one. */
    static List<PoolArea> areas(CompositeData map) {
        List<Piece> kinds = new ArrayList<>();
        for (CompositeData kind : records(map, "kinds")) {
            long bytes = Math.max(1, number(kind, "bytes"));
            kinds.add(new Piece(word(kind, "state"), bytes, number(kind, "usedBytes")));
        }
        List<PoolArea> areas = new ArrayList<>();
        for (CompositeData area : records(map, "areas")) {
            List<Piece> pieces = new ArrayList<>();
            if (at(area, "pieces") instanceof Integer[] places) {
                for (int place : places) {
                    pieces.add(kinds.get(place));
                }
            }
            long committed = number(area, "committedBytes");
            areas.add(new PoolArea(word(area, "part"), number(area, "address"), committed, pieces));
        }
        return areas;
    }

    private static CompositeData[] records(CompositeData data, String name) {
        return at(data, name) instanceof CompositeData[] records ? records : new CompositeData[0];
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

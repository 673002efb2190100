package io.polder.tools.live;

import java.util.LinkedHashMap;
import java.util.Map;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;

/**
 * Statistics in which what a pool or its pages have of memory stands beside their other figures,
 * and not in a record of its own: so it is in JSON, and so the first versions of the library had
 * it.
 */
final class FlatUsage {
    /** The component that is such a record. */
    private static final String USAGE = "usage";

    private final Map<String, Object> values = new LinkedHashMap<>();
    private final Map<String, OpenType<?>> types = new LinkedHashMap<>();

    private FlatUsage() {}

    /** The same statistics, flat. */
    static CompositeData of(CompositeData statistics) {
        CompositeType type = statistics.getCompositeType();
        FlatUsage flat = new FlatUsage();
        flat.add(statistics);
        String[] names = flat.values.keySet().toArray(String[]::new);
        try {
            return new CompositeDataSupport(
                    new CompositeType(
                            type.getTypeName(),
                            type.getDescription(),
                            names,
                            names,
                            flat.types.values().toArray(OpenType<?>[]::new)),
                    flat.values);
        } catch (OpenDataException e) {
            throw new AssertionError("what was open data is open data", e);
        }
    }

    private void add(CompositeData data) {
        for (String name : data.getCompositeType().keySet()) {
            Object value = data.get(name);
            if (value instanceof CompositeData usage && name.equals(USAGE)) {
                add(usage);
            } else if (value instanceof CompositeData nested) {
                CompositeData flat = of(nested);
                values.put(name, flat);
                types.put(name, flat.getCompositeType());
            } else {
                values.put(name, value);
                types.put(name, data.getCompositeType().getType(name));
            }
        }
    }
}

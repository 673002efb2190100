package io.polder;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Private fields, where nothing else tells what is in them. */
final class Inside {
    private record Key(Class<?> type, String name) {}

    private static final Map<Key, Field> FIELDS = new ConcurrentHashMap<>();

    private Inside() {}

    /**
     * The value of a field.
     *
     * @throws LinkageError if there is none of that name: then the code that asks must be adapted
     */
    static Object field(Object owner, String name) {
        try {
            Key key = new Key(owner.getClass(), name);
            Field known = FIELDS.get(key);
            if (known == null) {
                known = owner.getClass().getDeclaredField(name);
                known.setAccessible(true);
                FIELDS.put(key, known);
            }
            Object value = known.get(owner);
            if (value == null) {
                throw new LinkageError("the field looked at has a value: name=" + name);
            }
            return value;
        } catch (ReflectiveOperationException renamed) {
            throw new LinkageError("the field looked at is there: name=" + name, renamed);
        }
    }
}

package io.polder;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.ArrayType;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataSupport;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;

/**
 * Statistics as open data, which any JMX client can read: each accessor of an interface becomes an
 * item of its name, an interface a composite, a list an array, and an enum its name. JMX itself
 * does so with records and getters only.
 */
final class OpenStatistics {
    private OpenStatistics() {}

    /** The type of what an interface says. */
    static CompositeType type(Class<?> figures) throws OpenDataException {
        Method[] accessors = figures.getMethods();
        String[] names = new String[accessors.length];
        OpenType<?>[] types = new OpenType<?>[accessors.length];
        for (int i = 0; i < accessors.length; i++) {
            names[i] = accessors[i].getName();
            types[i] = type(accessors[i].getGenericReturnType());
        }
        return new CompositeType(figures.getName(), figures.getName(), names, names, types);
    }

    private static OpenType<?> type(Type figure) throws OpenDataException {
        if (figure instanceof ParameterizedType list) {
            return new ArrayType<>(1, type(list.getActualTypeArguments()[0]));
        }
        Class<?> single = (Class<?>) figure;
        if (single.isInterface()) {
            return type(single);
        }
        if (single == long.class) {
            return SimpleType.LONG;
        }
        if (single == int.class) {
            return SimpleType.INTEGER;
        }
        return single == boolean.class ? SimpleType.BOOLEAN : SimpleType.STRING;
    }

    /** What an object says as such an interface. */
    static CompositeData of(Object figures, Class<?> as)
            throws OpenDataException, ReflectiveOperationException {
        Map<String, @Nullable Object> items = new HashMap<>();
        for (Method accessor : as.getMethods()) {
            items.put(
                    accessor.getName(),
                    value(accessor.invoke(figures), accessor.getGenericReturnType()));
        }
        return new CompositeDataSupport(type(as), items);
    }

    private static @Nullable Object value(@Nullable Object figure, Type as)
            throws OpenDataException, ReflectiveOperationException {
        if (figure instanceof List<?> list) {
            Type each = ((ParameterizedType) as).getActualTypeArguments()[0];
            Object array =
                    Array.newInstance(
                            each == String.class ? String.class : CompositeData.class, list.size());
            for (int i = 0; i < list.size(); i++) {
                Array.set(array, i, value(list.get(i), each));
            }
            return array;
        }
        if (figure != null && as instanceof Class<?> single && single.isInterface()) {
            return of(figure, single);
        }
        return figure instanceof Enum<?> constant ? constant.name() : figure;
    }
}

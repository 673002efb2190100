package io.polder.cache.jcache;

import io.polder.cache.OffHeapCacheBuilder;

import org.jspecify.annotations.Nullable;

import java.io.ObjectInputFilter;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

import javax.cache.CacheException;

/**
 * What a manager's properties and URI say of those of its caches that say nothing themselves.
 *
 * @param maximumBytes 0 for no limit
 * @param maximumEntries 0 for no limit
 * @param serialFilter in the form of {@code jdk.serialFilter}; null for none
 */
record ManagerOptions(long maximumBytes, long maximumEntries, @Nullable String serialFilter) {
    private static final String PREFIX = "polder.jcache.";
    private static final String BYTES = "maximumBytes";
    private static final String ENTRIES = "maximumEntries";
    private static final String FILTER = "serialFilter";

    /**
     * Properties of the manager count for more than the URI, and that for more than those of the
     * JVM.
     *
     * @throws CacheException if one is unknown or is no number
     */
    static ManagerOptions of(URI uri, Properties properties) {
        Map<String, String> values = new TreeMap<>();
        putAll(values, System.getProperties());
        if ("polder".equals(uri.getScheme()) && uri.getRawQuery() != null) {
            for (String part : uri.getRawQuery().split("&", -1)) {
                int equals = part.indexOf('=');
                if (equals < 0) {
                    throw new CacheException(
                            "a query of a URI must be name=value&name=value: uri=" + uri);
                }
                values.put(decode(part.substring(0, equals)), decode(part.substring(equals + 1)));
            }
        }
        putAll(values, properties);
        for (String name : values.keySet()) {
            if (!name.equals(BYTES) && !name.equals(ENTRIES) && !name.equals(FILTER)) {
                throw new CacheException(
                        "an option must be one of maximumBytes, maximumEntries, serialFilter:"
                                + " option="
                                + name);
            }
        }
        String filter = values.get(FILTER);
        if (filter != null) {
            try {
                checkFilter(filter);
            } catch (IllegalArgumentException e) {
                throw new CacheException(where(FILTER) + e.getMessage(), e);
            }
        }
        return new ManagerOptions(
                number(values, BYTES, OffHeapCacheBuilder.MAXIMUM_BYTES_MIN),
                number(values, ENTRIES, 1),
                filter);
    }

    private static void putAll(Map<String, String> values, Properties properties) {
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(PREFIX)) {
                values.put(name.substring(PREFIX.length()), properties.getProperty(name));
            }
        }
    }

    /**
     * @throws IllegalArgumentException if it is not of the form of {@code jdk.serialFilter}
     */
    static void checkFilter(String filter) {
        try {
            ObjectInputFilter _ = ObjectInputFilter.Config.createFilter(filter);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "serialFilter must be of the form of jdk.serialFilter: serialFilter=" + filter,
                    e);
        }
    }

    private static String where(String name) {
        return "in property " + PREFIX + name + ", or the URI: ";
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static long number(Map<String, String> values, String name, long least) {
        String text = values.get(name);
        if (text == null) {
            return 0;
        }
        long value;
        try {
            value = Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw new CacheException(
                    where(name) + name + " must be a number: " + name + "=" + text, e);
        }
        if (value < least) {
            throw new CacheException(
                    where(name) + name + " must be " + least + " or more: " + name + "=" + value);
        }
        return value;
    }
}

package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import javax.cache.CacheException;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.EntryProcessorResult;

/**
 * An entry processor and its arguments, to be run on entries: once on each, and nobody changes the
 * entry meanwhile.
 *
 * <p>Thread-safe, if the processor is.
 */
final class Invocation<K, V, T> {
    private final Changes<K, V> changes;
    private final Loading<K, V> loading;
    private final Statistics statistics;
    private final EntryProcessor<K, V, T> processor;
    private final Object[] arguments;

    Invocation(
            Changes<K, V> changes,
            Loading<K, V> loading,
            Statistics statistics,
            EntryProcessor<K, V, T> processor,
            Object[] arguments) {
        this.changes = changes;
        this.loading = loading;
        this.statistics = statistics;
        this.processor = processor;
        this.arguments = arguments;
    }

    /** What the processor has returned, which may be null. */
    private static final class Result<T> {
        private @Nullable T value;
    }

    @Nullable T on(K key) {
        long begin = statistics.begin();
        Result<T> result = new Result<>();
        Change<K, V> change =
                changes.change(
                        key,
                        c -> {
                            changes.keepLeft(c);
                            ProcessedEntry<K, V> entry = new ProcessedEntry<>(c, loading);
                            result.value = process(entry);
                            entry.finish();
                        });
        statistics.got(change.old() != null, begin);
        statistics.put(change.kind() == Change.Kind.PUT && change.isPut() ? 1 : 0, begin);
        statistics.removed(change.isRemoved() ? 1 : 0, begin);
        return result.value;
    }

    private @Nullable T process(ProcessedEntry<K, V> entry) {
        try {
            return processor.process(entry, arguments);
        } catch (CacheException e) {
            throw e; // of the processor, a loader, or another cache
        } catch (Exception e) {
            throw new EntryProcessorException("an entry processor has thrown", e);
        }
    }

    /** The same, with what was thrown as the result; null if the processor has returned null. */
    @Nullable EntryProcessorResult<T> resultOn(K key) {
        T value;
        try {
            value = on(key);
        } catch (Exception e) {
            EntryProcessorException thrown =
                    e instanceof EntryProcessorException known
                            ? known
                            : new EntryProcessorException(e);
            return () -> {
                throw thrown;
            };
        }
        T result = value;
        return result == null ? null : () -> result;
    }
}

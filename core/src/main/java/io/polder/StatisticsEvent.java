package io.polder;

import jdk.jfr.AnnotationElement;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.ValueDescriptor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * An event of JDK Flight Recorder that comes now and then: figures of something that a pool has, in
 * fields of the event after the one with the pool's label.
 *
 * <p>Not thread-safe while fields are added; then it is.
 *
 * @param <T> who says the figures
 */
final class StatisticsEvent<T> {
    private final List<AnnotationElement> about;
    private final List<ValueDescriptor> fields = new ArrayList<>();
    private final List<Function<? super T, Object>> values = new ArrayList<>();

    /**
     * An event without figures yet.
     *
     * @param label the words of its name
     */
    StatisticsEvent(String label, String description) {
        this.about =
                List.of(
                        new AnnotationElement(Name.class, "io.polder." + label.replace(" ", "")),
                        new AnnotationElement(Label.class, label),
                        new AnnotationElement(Description.class, description),
                        new AnnotationElement(Category.class, new String[] {"Polder"}),
                        new AnnotationElement(Period.class, "10 s"),
                        new AnnotationElement(StackTrace.class, false));
        addField(String.class, "pool", "Pool");
    }

    /** Adds a size. */
    StatisticsEvent<T> bytes(String name, String label, ToLongFunction<? super T> value) {
        return add(long.class, name, label, value::applyAsLong, bytes());
    }

    /** Adds a limit. */
    StatisticsEvent<T> limit(String name, String label, ToLongFunction<? super T> value) {
        AnnotationElement none = new AnnotationElement(Description.class, "-1 if there is none");
        return add(long.class, name, label, value::applyAsLong, none, bytes());
    }

    /** Says that a figure is a size. */
    static AnnotationElement bytes() {
        return new AnnotationElement(DataAmount.class, DataAmount.BYTES);
    }

    /** Adds a number, of which there may be many. */
    StatisticsEvent<T> many(String name, String label, ToLongFunction<? super T> value) {
        return add(long.class, name, label, value::applyAsLong);
    }

    /** Adds a number that is never large. */
    StatisticsEvent<T> few(String name, String label, ToIntFunction<? super T> value) {
        return add(int.class, name, label, value::applyAsInt);
    }

    /** Adds a figure of any kind. */
    StatisticsEvent<T> add(
            Class<?> type,
            String name,
            String label,
            Function<? super T, Object> value,
            AnnotationElement... more) {
        addField(type, name, label, more);
        values.add(value);
        return this;
    }

    private void addField(Class<?> type, String name, String label, AnnotationElement... more) {
        List<AnnotationElement> all = new ArrayList<>(List.of(more));
        all.add(new AnnotationElement(Label.class, label));
        fields.add(new ValueDescriptor(type, name, all));
    }

    /** Has it recorded whenever a recording wants it: once for each thing that pools have then. */
    void begin(Function<PoolMemory, ? extends List<? extends T>> things) {
        EventFactory factory = EventFactory.create(about, fields);
        FlightRecorder.addPeriodicEvent(
                factory.newEvent().getClass(),
                () -> {
                    for (PoolMemory pool : OpenPools.INSTANCE.reachable()) {
                        for (T each : things.apply(pool)) {
                            fill(factory.newEvent(), pool, each).commit();
                        }
                    }
                });
    }

    private Event fill(Event event, PoolMemory pool, T figures) {
        event.set(0, PoolLabel.of(pool.name(), pool.number));
        for (int i = 0; i < values.size(); i++) {
            event.set(i + 1, values.get(i).apply(figures));
        }
        return event;
    }
}

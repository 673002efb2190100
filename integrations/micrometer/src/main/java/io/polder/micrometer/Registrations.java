package io.polder.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.noop.NoopMeter;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Meters that come and go together, and how each is registered, which may be done again, as
 * programs remove meters.
 *
 * <p>A filter may map meters of several pools, or heaps, to one id: the registry then has that of
 * the first. It stays until the last of them goes, and each that goes hands over to another: were
 * it removed and registered again while Prometheus scrapes, there could be two in one scrape, which
 * then fails.
 *
 * <p>Not thread-safe.
 */
final class Registrations {
    private final RegistryMeters meters;
    private final List<Registration> all = new ArrayList<>();
    private boolean removing;

    Registrations(RegistryMeters meters) {
        this.meters = meters;
    }

    /** One meter. */
    static final class Registration {
        private final Supplier<? extends Meter> how;
        private final List<Reading> readings;
        private Meter meter;

        Registration(Supplier<? extends Meter> how, List<Reading> readings) {
            this.how = how;
            this.readings = readings;
            this.meter = how.get();
        }

        void handOverTo(Registration heir) {
            for (int i = 0; i < readings.size(); i++) {
                readings.get(i).handOverTo(heir.readings.get(i));
            }
        }
    }

    /**
     * Registers one.
     *
     * @param how registers it, and returns what the registry then has
     * @param readings what it reads
     */
    void add(Supplier<? extends Meter> how, Reading... readings) {
        all.add(new Registration(how, List.of(readings)));
        meters.registrationsChanged();
    }

    /** Adds those that the registry has: it has none of those that were denied. */
    void addTo(Set<Meter> expected) {
        for (Registration each : all) {
            if (!(each.meter instanceof NoopMeter)) {
                expected.add(each.meter);
            }
        }
    }

    /** Registers again those of them that the registry has no more. */
    void restore(Set<Meter> missing) {
        for (Registration each : all) {
            if (missing.contains(each.meter)) {
                each.meter = each.how.get();
                meters.registrationsChanged();
            }
        }
    }

    /** Adds who has which meter, but if they are being removed. */
    void addTo(IdentityHashMap<Meter, Registration> owners) {
        if (!removing) {
            all.forEach(each -> owners.put(each.meter, each));
        }
    }

    /** Removes those that nobody else has. What is cut short may be done again. */
    void remove() {
        removing = true;
        IdentityHashMap<Meter, Registration> others = meters.owners();
        for (Registration each : all) {
            Registration heir = others.get(each.meter);
            if (heir == null) {
                Meter _ = meters.registry().remove(each.meter);
            } else {
                each.handOverTo(heir);
            }
        }
        meters.registrationsChanged();
    }
}

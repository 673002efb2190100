package io.polder.lab.experiments.fragmentation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Owners that come, allocate and go at random, on both models, against a map of their blocks. */
class RandomOwnersTest {
    private static final long RANGE_BYTES = 1 << 20;
    private static final int OPERATIONS = 20_000;

    private final TreeMap<Long, Long> blocks = new TreeMap<>();
    private final List<Tenant> tenants = new ArrayList<>();
    private int allocated;
    private int refused;
    private int closed;

    /** An owner, and where its blocks are. */
    private record Tenant(Owner owner, List<Long> addresses) {}

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void blocks_neverOverlapAndInvariantsHold(boolean merging) {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        ChunkSpace space =
                merging ? new SplitMergeSpace(RANGE_BYTES) : new SizeLockedSpace(RANGE_BYTES);
        try {
            Random random = new Random(seed);
            for (int i = 0; i < OPERATIONS; i++) {
                step(space, random);
                if (i % 16 == 0) {
                    space.verify();
                }
            }
            List.copyOf(tenants).forEach(this::close);
            space.verify();
            assertThat(blocks).isEmpty();
            assertThat(Maps.letters(space.map())).isLowerCase();
        } catch (Throwable failure) {
            throw new AssertionError("again with -Dpolder.test.seed=" + seed, failure);
        }
        assertThat(allocated).isGreaterThan(OPERATIONS / 4);
        assertThat(refused).isGreaterThan(OPERATIONS / 200);
        assertThat(closed).isGreaterThan(OPERATIONS / 100);
    }

    private void step(ChunkSpace space, Random random) {
        int dice = random.nextInt(100);
        if (tenants.isEmpty() || dice < 5) {
            tenants.add(new Tenant(new ModelOwner(space), new ArrayList<>()));
            return;
        }
        Tenant tenant = tenants.get(random.nextInt(tenants.size()));
        if (dice < 10) {
            close(tenant);
        } else {
            allocate(tenant, size(random));
        }
    }

    private static int size(Random random) {
        int dice = random.nextInt(100);
        int max = dice < 80 ? 2_000 : dice < 98 ? 20_000 : 100_000;
        return 1 + random.nextInt(max);
    }

    private void allocate(Tenant tenant, int bytes) {
        long address = tenant.owner().allocate(bytes);
        if (address == Owner.NO_ROOM) {
            refused++;
            return;
        }
        allocated++;
        assertThat(address).isNotNegative().isLessThanOrEqualTo(RANGE_BYTES - bytes);
        Map.Entry<Long, Long> below = blocks.floorEntry(address + bytes - 1);
        if (below != null) {
            assertThat(below.getKey() + below.getValue()).isLessThanOrEqualTo(address);
        }
        blocks.put(address, (long) bytes);
        tenant.addresses().add(address);
    }

    private void close(Tenant tenant) {
        tenant.owner().close();
        tenants.remove(tenant);
        tenant.addresses().forEach(blocks::remove);
        closed++;
    }
}

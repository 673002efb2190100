package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.background.Background;
import io.polder.memory.Exhaustion;
import io.polder.memory.HolingMemory;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MovableMemory;

import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Addresses that the system unmapped are no page, and come back when they can. */
@EnabledOnOs(OS.LINUX)
class LostGranulesTest {
    private static final int GRANULES = 24;
    private static final int OPERATIONS = 800;

    private final List<Extent> taken = new ArrayList<>();
    private int refused;
    private int errorsMet;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pages_ofMemoryWithHoles_areOursAlone(boolean errors) {
        MovableMemory.assume();
        long seed = Seed.get();
        Seed.naming(seed, () -> run(new SplittableRandom(seed), errors));
    }

    private void run(SplittableRandom random, boolean errors) {
        HolingMemory memory = new HolingMemory(random.split());
        if (errors) {
            memory.haveErrors();
        }
        long limit = Granules.bytes(GRANULES);
        MemoryBudget budget = new MemoryBudget(new MemoryLimits(limit, 64 * limit), "");
        PageSpace space =
                new PageSpace(
                        memory.provider(),
                        budget,
                        new Background("test-lost"),
                        new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                        Exhaustion.IGNORED,
                        null);
        ByHand byHand = new ByHand(space);
        int operations = 0;
        while (operations < OPERATIONS || (memory.met() == 0 && operations < 50 * OPERATIONS)) {
            operations++;
            try {
                step(memory, space, byHand, random);
            } catch (OutOfMemoryError injected) {
                errorsMet++;
            }
            memory.checkStrangers();
            PageFixture.checkPaint(taken);
            PageCheck.verifyAtRest(space);
        }
        assertThat(memory.holes()).isPositive();
        assertThat(memory.met()).isPositive();
        assertThat(refused).isLessThan(operations / 4);
        assertThat(errorsMet > 0).isEqualTo(errors);
        memory.heal();
        PageFixture.give(taken);
        Extent all = space.take(limit, true);
        memory.checkOurs(all.address(), all.bytes());
        PageFixture.give(all);
        space.close();
        assertThat(budget.reserved.bytes()).isZero();
        assertThat(budget.committed.bytes()).isZero();
    }

    private void step(
            HolingMemory memory, PageSpace space, ByHand byHand, SplittableRandom random) {
        switch (random.nextInt(20)) {
            case 0 -> space.trim();
            case 1 -> byHand.uncommitter.uncommit(1 + random.nextInt(8));
            case 2 -> byHand.uncommitter.renewCold();
            case 3 -> byHand.defragmenter.tick();
            case 4 -> space.prefetch(Granules.bytes(1 + random.nextInt(6)), random.nextInt(2));
            case 5, 6, 7, 8, 9, 10, 11 -> {
                if (!taken.isEmpty()) {
                    Extent given = taken.remove(random.nextInt(taken.size()));
                    space.give(given, given.bytes());
                }
            }
            default -> take(memory, space, random);
        }
    }

    private void take(HolingMemory memory, PageSpace space, SplittableRandom random) {
        int count = random.nextInt(3) == 0 ? 1 + random.nextInt(8) : 1;
        int left = GRANULES - taken.stream().mapToInt(each -> each.count).sum();
        boolean zero = random.nextInt(3) == 0;
        try {
            Extent page = space.take(Granules.bytes(count), zero);
            memory.checkOurs(page.address(), page.bytes());
            if (zero) {
                assertThat(PageFixture.firstByteThatIsNotZero(page)).isEqualTo(-1);
            }
            taken.add(page);
            PageFixture.paint(List.of(page));
        } catch (MemoryExhaustedException why) {
            refused += count <= left ? 1 : 0;
        }
    }
}

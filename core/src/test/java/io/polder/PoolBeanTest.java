package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.leak.Collected;

import jdk.jfr.Recording;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/** Pools as management tools see them. */
@EnabledOnOs(OS.LINUX)
class PoolBeanTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

    /** The names of the beans of pools whose name is the one given. */
    private Set<ObjectName> beans(String pool) {
        try {
            return new TreeSet<>(
                    server.queryNames(
                            new ObjectName(
                                    "io.polder:type=MemoryPool,name="
                                            + ObjectName.quote(pool)
                                            + ",*"),
                            null));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private ObjectName awaitBean(String pool) {
        awaitBeans(pool, 1);
        return beans(pool).iterator().next();
    }

    private void awaitBeans(String pool, int count) {
        Await.until(pool + " is registered", () -> beans(pool).size() == count);
    }

    /** What the background does a second after a pool was opened, in a thread that is as good. */
    private static void registerNow() {
        Thread.ofPlatform().start(OpenPools.INSTANCE::run);
    }

    @Test
    void open_pool_isRegisteredUntilItIsClosed() throws Exception {
        ObjectName name;
        try (MemoryPool pool = MemoryPool.builder().name("seen").build();
                Arena arena = pool.openShared()) {
            arena.allocate(1000);
            name = awaitBean("seen");
            assertThat(name.getCanonicalName())
                    .isEqualTo("io.polder:name=\"seen\",type=MemoryPool");
            MemoryPoolMXBean bean = JMX.newMXBeanProxy(server, name, MemoryPoolMXBean.class);
            PoolStatistics stats = pool.stats();
            CompositeData figures = statistics(name);
            assertThat(figures.get("name")).isEqualTo("seen");
            assertThat(figures.get("usedBytes")).isEqualTo(stats.usedBytes());
            assertThat(stats.usedBytes()).isPositive();
            assertThat(figures.get("committedBytes")).isEqualTo(stats.committedBytes());
            assertThat(figures.get("reservedBytes")).isEqualTo(stats.reservedBytes());
            assertThat(figures.get("committedMaxBytes")).as("no limit").isEqualTo(-1L);
            assertThat(figures.get("reservedMaxBytes")).isEqualTo(-1L);
            CompositeData leaks = (CompositeData) figures.get("leaks");
            assertThat(leaks.get("leaked")).isEqualTo(0L);
            assertThat(leaks.get("leakedBytes")).isEqualTo(0L);
            assertThat(bean.getShrinkers()).isEmpty();
            Runnable remove = pool.addShrinker(_ -> 0, () -> "holds nothing");
            assertThat(bean.getShrinkers()).containsExactly("holds nothing");
            remove.run();
            assertThat(bean.report()).isEqualTo(pool.report());
            assertThat(bean.map()).as("through open data").isEqualTo(pool.map());
            assertThat(bean.map()).hasToString(pool.map().toString());
            assertThat(bean.trim()).isGreaterThanOrEqualTo(0);
        }
        Await.until("it is gone", () -> !server.isRegistered(name));
    }

    private CompositeData statistics(ObjectName name) throws Exception {
        return (CompositeData) server.getAttribute(name, "Statistics");
    }

    /** As tools see it that do not have Polder's classes. */
    @Test
    void statistics_asOpenData_haveNamesThatTellWhatTheyAre() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().name("open data").build()) {
            registerNow();
            long block = pool.blocks().allocateAddress(100);
            CompositeData data = statistics(awaitBean("open data"));
            assertThat(data.get("name")).isEqualTo("open data");
            assertThat((long) data.get("usedBytes")).isPositive();
            assertThat((CompositeData[]) data.get("freeChunks")).hasSize(13);
            assertThat(((CompositeData) data.get("arenas")).get("pooled")).isEqualTo(true);
            assertThat((CompositeData[]) data.get("heaps")).isEmpty();
            CompositeData pages = (CompositeData) data.get("pages");
            assertThat(pages.get("takenBytes")).isEqualTo(0L);
            CompositeData leaks = (CompositeData) data.get("leaks");
            assertThat(leaks.get("detection")).isEqualTo("OFF");
            assertThat((CompositeData[]) leaks.get("sites")).isEmpty();
            CompositeData blocks = (CompositeData) data.get("blocks");
            assertThat(blocks.get("checked")).isEqualTo(false);
            CompositeData size = ((CompositeData[]) blocks.get("sizes"))[0];
            assertThat(size.get("blockBytes")).isEqualTo(112L);
            assertThat(size.get("usedCount")).isEqualTo(1L);
            assertThat((long) size.get("freeCount")).isPositive();
            assertThat((long) size.get("committedBytes")).isPositive();
            pool.blocks().freeAddress(block);
        }
    }

    @Test
    void sameName_ofSeveralPools_isNumbered() {
        try (MemoryPool _ = MemoryPool.builder().name("twin beans").build();
                MemoryPool _ = MemoryPool.builder().name("twin beans").build()) {
            registerNow();
            awaitBeans("twin beans", 2);
            assertThat(beans("twin beans"))
                    .extracting(name -> name.getKeyProperty("number"))
                    .containsExactlyInAnyOrder(null, "2");
        }
        Await.until("they are gone", () -> beans("twin beans").isEmpty());
    }

    /** Opened at once, so that all are registered at once: more than happen to be in order. */
    @Test
    void sameName_ofManyPools_isNumberedInTheOrderOfOpening() throws Exception {
        List<MemoryPool> pools = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                pools.add(
                        MemoryPool.builder()
                                .name("in order")
                                .committedMaxBytes((i + 1L) << 30)
                                .build());
            }
            registerNow();
            awaitBeans("in order", pools.size());
            for (ObjectName name : beans("in order")) {
                String key = name.getKeyProperty("number");
                int number = key == null ? 1 : Integer.parseInt(key);
                MemoryPoolMXBean bean = JMX.newMXBeanProxy(server, name, MemoryPoolMXBean.class);
                assertThat(statistics(name).get("committedMaxBytes"))
                        .isEqualTo((long) number << 30);
                assertThat(bean.report())
                        .startsWith("Pool in order" + (number == 1 ? "" : " #" + number) + "\n");
            }
            pools.removeFirst().close();
            pools.add(MemoryPool.builder().name("in order").build());
            registerNow();
            awaitBeans("in order", pools.size());
            assertThat(pools.getLast().report()).startsWith("Pool in order #13\n");
        } finally {
            pools.forEach(MemoryPool::close);
        }
    }

    @Test
    void name_withAnything_isQuoted() {
        String strange = "a,b=c:\"d\"*?\\ \n\u001b[31m";
        try (MemoryPool _ = MemoryPool.builder().name(strange).build()) {
            registerNow();
            ObjectName name = awaitBean(strange);
            assertThat(ObjectName.unquote(name.getKeyProperty("name"))).isEqualTo(strange);
        }
    }

    @Tag("full")
    @Test
    void aThousandPools_opened_areAllRegistered() {
        List<MemoryPool> pools = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            pools.add(MemoryPool.builder().name("many " + i).build());
        }
        Await.until(
                "all are registered",
                () -> pools.stream().noneMatch(pool -> beans(pool.name()).isEmpty()));
        pools.forEach(MemoryPool::close);
        assertThat(beans("many 0")).isEmpty();
        assertThat(beans("many 999")).isEmpty();
    }

    @Test
    void registered_pool_isNotKeptAlive() {
        WeakReference<MemoryPool> pool = registered("forgotten");
        ObjectName name = awaitBean("forgotten");
        MemoryPoolMXBean bean = JMX.newMXBeanProxy(server, name, MemoryPoolMXBean.class);
        Collected.until("nobody has the pool", () -> pool.refersTo(null));
        Await.until("looking at it has removed it", () -> isGone(bean) && beans(name).isEmpty());
    }

    /** Lets go of a pool once it is registered: one that is gone before is never registered. */
    private WeakReference<MemoryPool> registered(String name) {
        MemoryPool pool = MemoryPool.builder().name(name).build();
        try {
            registerNow();
            awaitBean(name);
        } finally {
            Reference.reachabilityFence(pool);
        }
        return new WeakReference<>(pool);
    }

    /** Who opens a pool may hold a lock of the library: who needs the common one first does. */
    @Test
    void open_afterAPoolIsGone_tellsNoListenerItself() throws Exception {
        List<Thread> tellers =
                tellersOfTheEnd(
                        "gone, and told of",
                        () -> {
                            try (MemoryPool _ = MemoryPool.builder().name("opened then").build()) {
                                registerNow();
                                Await.until(
                                        "it is removed",
                                        () -> beans("gone, and told of").isEmpty());
                            }
                        });
        assertThat(tellers).doesNotContain(Thread.currentThread());
    }

    /** Flight Recorder holds locks of its own when it asks at the begin of a chunk. */
    @Test
    void record_afterAPoolIsGone_tellsNoListener() throws Exception {
        List<Thread> tellers =
                tellersOfTheEnd(
                        "gone, and recorded",
                        () -> {
                            try (Recording recording = new Recording()) {
                                recording
                                        .enable("io.polder.PoolStatistics")
                                        .with("period", "everyChunk");
                                recording.start();
                                recording.stop();
                            }
                        });
        assertThat(tellers).doesNotContain(Thread.currentThread());
        assertThat(MemoryPool.openPools()).isNotNull();
        assertThat(beans("gone, and recorded")).as("who looks removes it").isEmpty();
    }

    /** Does something after a pool is gone; returns who told that its bean is gone. */
    private List<Thread> tellersOfTheEnd(String pool, Runnable then) throws Exception {
        List<Thread> tellers = new CopyOnWriteArrayList<>();
        NotificationListener listener =
                (notification, _) -> {
                    if (isAbout(
                            notification,
                            MBeanServerNotification.UNREGISTRATION_NOTIFICATION,
                            pool)) {
                        tellers.add(Thread.currentThread());
                    }
                };
        server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener, null, null);
        try {
            WeakReference<MemoryPool> gone = registered(pool);
            Collected.until("nobody has the pool", () -> gone.refersTo(null));
            then.run();
        } finally {
            server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener);
        }
        return tellers;
    }

    private Set<ObjectName> beans(ObjectName name) {
        return server.queryNames(name, null);
    }

    /** A tool that looks by itself, and holds a lock meanwhile, must not stop those who close. */
    @Test
    void close_whileAListenerIsTold_doesNotWaitForIt() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        NotificationListener listener =
                (notification, _) -> {
                    if (isRegistration(notification, "slowly told")) {
                        told.countDown();
                        Await.open(goOn);
                    }
                };
        server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener, null, null);
        try {
            MemoryPool pool = MemoryPool.builder().name("slowly told").build();
            registerNow();
            Await.open(told);
            pool.close();
            goOn.countDown();
            Await.until("it is not left registered", () -> beans("slowly told").isEmpty());
        } finally {
            goOn.countDown();
            server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener);
        }
    }

    @Test
    void close_byTheListenerItself_isNotLeftRegistered() throws Exception {
        MemoryPool pool = MemoryPool.builder().name("closed when seen").build();
        CountDownLatch closed = new CountDownLatch(1);
        NotificationListener listener =
                (notification, _) -> {
                    if (isRegistration(notification, "closed when seen")) {
                        pool.close();
                        closed.countDown();
                    }
                };
        server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener, null, null);
        try {
            registerNow();
            Await.open(closed);
            Await.until("it is not left registered", () -> beans("closed when seen").isEmpty());
        } finally {
            server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener);
        }
    }

    /** For want of Java heap, say. */
    @ParameterizedTest
    @ValueSource(strings = {"before", "after"})
    void registration_metByAnError_isThereUntilThePoolIsClosed(String when) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(
                                "-Djavax.management.builder.initial="
                                        + FailingServerProbe.Builder.class.getName(),
                                ChildJvm.NATIVE_ACCESS),
                        FailingServerProbe.class,
                        when);
        assertThat(result.out()).isEqualTo("registered\nleft: []\n");
    }

    private static boolean isRegistration(Notification notification, String pool) {
        return isAbout(notification, MBeanServerNotification.REGISTRATION_NOTIFICATION, pool);
    }

    private static boolean isAbout(Notification notification, String type, String pool) {
        return notification instanceof MBeanServerNotification about
                && about.getType().equals(type)
                && ObjectName.quote(pool).equals(about.getMBeanName().getKeyProperty("name"));
    }

    private static boolean isGone(MemoryPoolMXBean bean) {
        System.gc();
        try {
            LeakDetection _ = bean.getLeakDetection();
            return false;
        } catch (IllegalStateException gone) {
            assertThat(gone).hasMessage("the pool is no longer reachable: name=forgotten");
            return true;
        } catch (UndeclaredThrowableException unregistered) {
            return true;
        }
    }

    @TempDir Path folder = Path.of("replaced by JUnit");

    /** The names of the classes that a program loads. */
    private Set<String> classesLoaded(List<String> flags, String... arguments) throws IOException {
        Path log = folder.resolve("classes.log");
        List<String> all = new ArrayList<>(flags);
        all.addAll(List.of(ChildJvm.NATIVE_ACCESS, "-Xlog:class+load:file=" + log));
        ChildJvm.Result result = ChildJvm.program(all, WatcherProbe.class, arguments);
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo("Hello\n");
        assertThat(result.exitCode()).isZero();
        return Files.readAllLines(log).stream()
                .map(line -> line.replaceFirst("^(\\[[^]]*\\])*", "").strip().split(" ", 2)[0])
                .collect(Collectors.toSet());
    }

    private static boolean startsManagement(Set<String> classes) {
        return classes.contains("java.lang.management.ManagementFactory");
    }

    @Test
    void program_thatEndsSoon_startsNoMBeanServerAndNoRecorder() throws IOException {
        Set<String> classes = classesLoaded(List.of());
        // It takes a second on a machine that does much else: then it did not end soon.
        for (int i = 0; i < 10 && startsManagement(classes); i++) {
            classes = classesLoaded(List.of());
        }
        assertThat(classes).contains("io.polder.BootstrapArena");
        assertThat(startsManagement(classes)).isFalse();
        assertThat(classes.stream().filter(name -> name.startsWith("jdk.jfr.internal."))).isEmpty();
    }

    @Test
    void program_thatGoesOn_isRegisteredAndStartsNoRecorder() throws IOException {
        Set<String> classes = classesLoaded(List.of(), "wait");
        assertThat(startsManagement(classes)).isTrue();
        assertThat(classes.contains("io.polder.PeriodicEvents")).isTrue();
        assertThat(classes.contains("io.polder.StatisticsEvent")).isFalse();
    }

    @Tag("full")
    @Test
    void program_withoutTheModules_worksAllTheSame() throws IOException {
        Set<String> classes = classesLoaded(List.of("--limit-modules", "java.base"), "wait");
        assertThat(startsManagement(classes)).isFalse();
        assertThat(classes).doesNotContain("io.polder.PlatformMBeans", "io.polder.PeriodicEvents");
    }

    @Tag("full")
    @Test
    void program_thatDoesNotWantIt_isNotRegistered() throws IOException {
        Set<String> classes = classesLoaded(List.of("-Dpolder.mxbean=false"), "wait");
        assertThat(startsManagement(classes)).isFalse();
    }
}

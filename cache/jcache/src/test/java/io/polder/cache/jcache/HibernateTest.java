package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

import org.hibernate.SessionFactory;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.cfg.Configuration;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.util.List;

import javax.cache.CacheManager;

/** Hibernate with Polder's caches as its second-level cache, for entities and queries. */
class HibernateTest {
    private final CacheManager manager =
            new PolderCachingProvider()
                    .getCacheManager(URI.create("polder://hibernate?maximumBytes=67108864"), null);

    @AfterEach
    void close() {
        manager.close();
    }

    /** An entity that Hibernate caches. */
    @Entity(name = "City")
    @Cacheable
    @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
    static class City {
        @Id private long id;

        @Column(length = 1 << 24)
        private String name = "";

        City() {}

        City(long id, String name) {
            this.id = id;
            this.name = name;
        }
    }

    private SessionFactory open() {
        Configuration configuration = new Configuration();
        configuration.getProperties().put("hibernate.javax.cache.cache_manager", manager);
        return configuration
                .addAnnotatedClass(City.class)
                .setProperty("hibernate.connection.url", "jdbc:h2:mem:jcache")
                .setProperty("hibernate.hbm2ddl.auto", "create-drop")
                .setProperty("hibernate.generate_statistics", "true")
                .setProperty("hibernate.cache.use_query_cache", "true")
                .setProperty("hibernate.cache.region.factory_class", "jcache")
                .setProperty("hibernate.javax.cache.missing_cache_strategy", "create")
                .buildSessionFactory();
    }

    private static String nameOf(SessionFactory factory, long id) {
        return factory.fromTransaction(session -> session.find(City.class, id).name);
    }

    private static List<String> names(SessionFactory factory) {
        return factory.fromTransaction(
                session ->
                        session.createQuery("select name from City order by id", String.class)
                                .setCacheable(true)
                                .getResultList());
    }

    @Test
    void entity_isReadFromTheCache() {
        try (SessionFactory factory = open()) {
            Statistics statistics = factory.getStatistics();
            factory.inTransaction(session -> session.persist(new City(1, "Urk")));
            factory.getCache().evictAllRegions();
            statistics.clear();

            assertThat(nameOf(factory, 1)).isEqualTo("Urk");
            assertThat(statistics.getSecondLevelCacheMissCount()).isEqualTo(1);
            assertThat(statistics.getSecondLevelCachePutCount()).isEqualTo(1);
            assertThat(statistics.getPrepareStatementCount()).isEqualTo(1);
            for (int i = 0; i < 10; i++) {
                assertThat(nameOf(factory, 1)).isEqualTo("Urk");
            }
            assertThat(statistics.getSecondLevelCacheHitCount()).isEqualTo(10);
            assertThat(statistics.getPrepareStatementCount()).isEqualTo(1);

            factory.inTransaction(session -> session.find(City.class, 1L).name = "Emmeloord");
            assertThat(nameOf(factory, 1)).isEqualTo("Emmeloord");
        }
    }

    /** The limit is 64 MiB: what a cache cannot keep is read from the database. */
    @Test
    void entity_thatIsTooLargeForTheCache_isReadFromTheDatabase() {
        String large = "x".repeat(9 << 20);
        try (SessionFactory factory = open()) {
            factory.inTransaction(session -> session.persist(new City(1, large)));
            assertThat(nameOf(factory, 1)).isEqualTo(large);
            factory.inTransaction(session -> session.find(City.class, 1L).name = "Urk");
            assertThat(nameOf(factory, 1)).isEqualTo("Urk");
            factory.inTransaction(session -> session.find(City.class, 1L).name = large);
            assertThat(nameOf(factory, 1)).isEqualTo(large);
            assertThat(names(factory)).containsExactly(large);
            assertThat(names(factory)).containsExactly(large);
        }
    }

    @Test
    void query_isAnsweredFromTheCache() {
        try (SessionFactory factory = open()) {
            Statistics statistics = factory.getStatistics();
            factory.inTransaction(
                    session -> {
                        session.persist(new City(1, "Urk"));
                        session.persist(new City(2, "Nagele"));
                    });
            statistics.clear();
            for (int i = 0; i < 10; i++) {
                assertThat(names(factory)).containsExactly("Urk", "Nagele");
            }
            assertThat(statistics.getQueryCacheMissCount()).isEqualTo(1);
            assertThat(statistics.getQueryCacheHitCount()).isEqualTo(9);
            assertThat(statistics.getPrepareStatementCount()).isEqualTo(1);

            factory.inTransaction(session -> session.persist(new City(3, "Ens")));
            assertThat(names(factory)).containsExactly("Urk", "Nagele", "Ens");
        }
    }
}

package io.polder;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanException;
import javax.management.MBeanInfo;
import javax.management.ReflectionException;
import javax.management.StandardMBean;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenMBeanAttributeInfoSupport;

/**
 * The MXBean of one pool, which it does not keep alive, with the statistics as one more attribute.
 * Thread-safe.
 */
final class PoolBean extends StandardMBean implements MemoryPoolMXBean {
    private static final String STATISTICS = "Statistics";

    private final CompositeType type;
    private final String name;
    private final WeakReference<PoolMemory> pool;

    PoolBean(PoolMemory pool) throws OpenDataException {
        super(MemoryPoolMXBean.class, true);
        this.type = OpenStatistics.type(PoolStatistics.class);
        this.name = pool.name();
        this.pool = new WeakReference<>(pool);
    }

    private PoolMemory pool() {
        PoolMemory found = pool.get();
        if (found == null) {
            OpenPools.INSTANCE.forgetGone(); // and with it this bean
            throw new IllegalStateException("the pool is no longer reachable: name=" + name);
        }
        return found;
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        MBeanInfo info = super.getMBeanInfo();
        MBeanAttributeInfo[] attributes = info.getAttributes();
        attributes = Arrays.copyOf(attributes, attributes.length + 1);
        attributes[attributes.length - 1] =
                new OpenMBeanAttributeInfoSupport(
                        STATISTICS, "What the pool is and holds now", type, true, false, false);
        return new MBeanInfo(
                info.getClassName(),
                info.getDescription(),
                attributes,
                info.getConstructors(),
                info.getOperations(),
                info.getNotifications(),
                info.getDescriptor());
    }

    @Override
    public @Nullable Object getAttribute(String attribute)
            throws AttributeNotFoundException, MBeanException, ReflectionException {
        if (!STATISTICS.equals(attribute)) {
            return super.getAttribute(attribute);
        }
        PoolStatistics now = PoolFigures.of(pool());
        try {
            return OpenStatistics.of(now, PoolStatistics.class);
        } catch (OpenDataException | ReflectiveOperationException e) {
            throw new ReflectionException(e);
        }
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        AttributeList found = new AttributeList();
        for (String each : names) {
            try {
                found.add(new Attribute(each, getAttribute(each)));
            } catch (Exception missing) {
                // as JMX wants it: left out
            }
        }
        return found;
    }

    @Override
    public LeakDetection getLeakDetection() {
        return LeakDetection.of(pool().leaks);
    }

    @Override
    public void setLeakDetection(LeakDetection leaks) {
        pool().watch(Objects.requireNonNull(leaks, "leaks"));
        OpenPools.INSTANCE.task.wake();
    }

    @Override
    public List<String> getFormerLeaks() {
        return OpenPools.INSTANCE.formerLeaks();
    }

    @Override
    public List<String> getShrinkers() {
        return pool().shrinkers.lines();
    }

    @Override
    public String report() {
        return pool().report();
    }

    @Override
    public PoolMap map() {
        return pool().map();
    }

    @Override
    public long trim() {
        return pool().trim();
    }
}

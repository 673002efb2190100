package io.polder;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanException;
import javax.management.MBeanInfo;
import javax.management.NotCompliantMBeanException;
import javax.management.ReflectionException;
import javax.management.StandardMBean;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenDataException;
import javax.management.openmbean.OpenMBeanAttributeInfoSupport;

/** The MXBean of one pool, with the statistics as one more attribute. Thread-safe. */
final class OpenPoolBean extends StandardMBean {
    private static final String STATISTICS = "Statistics";

    private final PoolBean bean;
    private final CompositeType type;

    OpenPoolBean(PoolBean bean) throws NotCompliantMBeanException, OpenDataException {
        super(bean, MemoryPoolMXBean.class, true);
        this.bean = bean;
        this.type = OpenStatistics.type(PoolStatistics.class);
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
    public @Nullable Object getAttribute(String name)
            throws AttributeNotFoundException, MBeanException, ReflectionException {
        if (!STATISTICS.equals(name)) {
            return super.getAttribute(name);
        }
        PoolStatistics now = bean.stats();
        try {
            return OpenStatistics.of(now, PoolStatistics.class);
        } catch (OpenDataException | ReflectiveOperationException e) {
            throw new ReflectionException(e);
        }
    }

    @Override
    public AttributeList getAttributes(String[] names) {
        AttributeList found = new AttributeList();
        for (String name : names) {
            try {
                found.add(new Attribute(name, getAttribute(name)));
            } catch (Exception missing) {
                // as JMX wants it: left out
            }
        }
        return found;
    }
}

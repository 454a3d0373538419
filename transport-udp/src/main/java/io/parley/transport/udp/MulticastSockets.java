package io.parley.transport.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One family's sockets: one that hears the group on all interfaces, and one for each interface to send by. For the loop's
 * thread.
 *
 * <p>The port is shared with other peers of this machine by {@code SO_REUSEADDR}: each of the sockets then gets every
 * multicast datagram. ({@code SO_REUSEPORT} is for sharing the work, and where BSD wants it for multicast the JDK sets it.)
 */
final class MulticastSockets {

    private static final Logger log = LoggerFactory.getLogger(MulticastSockets.class);

    /** Longer than any of ours, so that a longer one is noticed. */
    private static final int READ_BYTES = 2048;

    /** Room for a few of the largest payloads; the kernel may give less. */
    private static final int SOCKET_BUFFER_BYTES = 1024 * 1024;

    /** An interface as it was: {@link NetworkInterface#equals} knows its addresses, but not its number. */
    private record InterfaceKey(NetworkInterface network, int index) {

        static InterfaceKey of(NetworkInterface network) {
            return new InterfaceKey(network, network.getIndex());
        }
    }

    private final IpFamily family;
    private final UdpSettings settings;
    private final EventLoopGroup loops;
    private final Consumer<Channel> opened;
    private final ChannelFuture binding;
    private final Map<InterfaceKey, InterfaceSender> joined = new LinkedHashMap<>();
    private final Set<InterfaceKey> failed = new HashSet<>();

    /** @param opened told of every channel that has to be closed in the end */
    MulticastSockets(
            IpFamily family,
            UdpSettings settings,
            EventLoopGroup loops,
            ChannelHandler handler,
            Consumer<Channel> opened) {
        this.family = family;
        this.settings = settings;
        this.loops = loops;
        this.opened = opened;
        this.binding = new Bootstrap()
                .group(loops)
                .channelFactory(() -> new NioDatagramChannel(family.protocol()))
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
                .handler(handler)
                .bind(family.everywhere(settings.port()));
        announce(binding);
    }

    /** Completes when the port is bound. */
    ChannelFuture binding() {
        return binding;
    }

    IpFamily family() {
        return family;
    }

    /** Joins the group on interfaces that are new, and leaves it on those that are gone or have other addresses now. */
    void update(List<NetworkInterface> interfaces) {
        if (!binding.isSuccess()) {
            return;
        }
        Set<InterfaceKey> wanted = new HashSet<>();
        interfaces.stream().filter(family::isOn).map(InterfaceKey::of).forEach(wanted::add);
        failed.retainAll(wanted);
        Iterator<Map.Entry<InterfaceKey, InterfaceSender>> all =
                joined.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<InterfaceKey, InterfaceSender> each = all.next();
            if (!wanted.contains(each.getKey())) {
                all.remove();
                leave(each.getKey().network(), each.getValue());
            }
        }
        for (InterfaceKey each : wanted) {
            if (!joined.containsKey(each)) {
                join(each);
            }
        }
    }

    /** Those on whose interfaces it is a member of the group. */
    List<InterfaceSender> senders() {
        return new ArrayList<>(joined.values());
    }

    private void announce(ChannelFuture opening) {
        opening.addListener(done -> {
            if (done.isSuccess()) {
                opened.accept(opening.channel());
            }
        });
    }

    private void join(InterfaceKey seen) {
        InterfaceSender sender = new InterfaceSender(family, seen.network(), settings, loops);
        announce(sender.opening());
        joined.put(seen, sender);
        log.debug("Joining the group by {}", sender);
        receiving().joinGroup(family.group(settings), seen.network(), null).addListener(hears -> {
            if (!hears.isSuccess()) {
                giveUp(seen, sender, hears.cause());
            }
        });
        sender.opening().addListener(sends -> {
            if (!sends.isSuccess()) {
                giveUp(seen, sender, sends.cause());
            }
        });
    }

    /** Until the next check, which tries again without another line in the log. */
    private void giveUp(InterfaceKey seen, InterfaceSender sender, Throwable cause) {
        if (joined.remove(seen, sender)) {
            if (failed.add(seen)) {
                log.info("No multicast by {}: {}", sender, cause.toString());
            }
            leave(seen.network(), sender);
        }
    }

    /** Where the interface is gone the kernel has left already, and says so. */
    private void leave(NetworkInterface network, InterfaceSender sender) {
        log.debug("Leaving the group by {}", sender);
        sender.channel().close();
        receiving().leaveGroup(family.group(settings), network, null);
    }

    private NioDatagramChannel receiving() {
        return (NioDatagramChannel) binding.channel();
    }
}

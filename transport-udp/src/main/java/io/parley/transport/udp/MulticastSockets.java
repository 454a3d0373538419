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
 * The sockets of one IP family: one that receives from the group on all interfaces, and one per interface that open. Must
 * be used on the event loop.
 *
 * <p>Other processes of this machine share the port by {@code SO_REUSEADDR}: each of the sockets then receives every
 * multicast datagram. ({@code SO_REUSEPORT} distributes the datagrams instead. The JDK sets it where BSD requires it for
 * multicast.)
 */
final class MulticastSockets {

    private static final Logger log = LoggerFactory.getLogger(MulticastSockets.class);

    /** Longer than a valid datagram, so that a longer one is detected. */
    private static final int READ_BYTES = 2048;

    /** Space for a few of the largest payloads, in bytes; the kernel may grant less. */
    private static final int SOCKET_BUFFER_BYTES = 1024 * 1024;

    /** A snapshot of an interface: {@link NetworkInterface#equals} compares its addresses, but not its index. */
    private record InterfaceKey(NetworkInterface network, int index) {

        static InterfaceKey of(NetworkInterface network) {
            return new InterfaceKey(network, network.getIndex());
        }
    }

    private final IpFamily family;
    private final UdpSettings settings;
    private final EventLoopGroup loops;
    private final Consumer<Channel> onOpened;
    private final ChannelFuture binding;
    private final Map<InterfaceKey, InterfaceSender> joined = new LinkedHashMap<>();
    private final Set<InterfaceKey> failed = new HashSet<>();

    /** @param onOpened receives each channel that must be closed at the end */
    MulticastSockets(
            IpFamily family,
            UdpSettings settings,
            EventLoopGroup loops,
            ChannelHandler handler,
            Consumer<Channel> onOpened) {
        this.family = family;
        this.settings = settings;
        this.loops = loops;
        this.onOpened = onOpened;
        this.binding = new Bootstrap()
                .group(loops)
                .channelFactory(() -> new NioDatagramChannel(family.protocol()))
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
                .handler(handler)
                .bind(family.wildcard(settings.port()));
        reportOpened(binding);
    }

    /** Returns a future that completes when the port is bound. */
    ChannelFuture binding() {
        return binding;
    }

    IpFamily family() {
        return family;
    }

    /** Joins the group on new interfaces, and leaves it on those that are gone or whose addresses have changed. */
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

    /** Returns the senders of the interfaces on which the group was joined. */
    List<InterfaceSender> senders() {
        return new ArrayList<>(joined.values());
    }

    private void reportOpened(ChannelFuture opening) {
        opening.addListener(done -> {
            if (done.isSuccess()) {
                onOpened.accept(opening.channel());
            }
        });
    }

    private void join(InterfaceKey key) {
        InterfaceSender sender = new InterfaceSender(family, key.network(), settings, loops);
        reportOpened(sender.opening());
        joined.put(key, sender);
        log.debug("Joining the multicast group by {}", sender);
        receiving().joinGroup(family.group(settings), key.network(), null).addListener(join -> {
            if (!join.isSuccess()) {
                giveUp(key, sender, join.cause());
            }
        });
        sender.opening().addListener(open -> {
            if (!open.isSuccess()) {
                // If there is no socket, Netty notifies on another thread.
                receiving().eventLoop().execute(() -> giveUp(key, sender, open.cause()));
            }
        });
    }

    /** Gives up until the next check, which tries again without another log line. */
    private void giveUp(InterfaceKey key, InterfaceSender sender, Throwable cause) {
        if (joined.remove(key, sender)) {
            if (failed.add(key)) {
                log.info("Cannot use multicast by {}: {}", sender, cause.toString());
            }
            leave(key.network(), sender);
        }
    }

    /** If the interface is gone, the kernel has left the group already and the call fails. */
    private void leave(NetworkInterface network, InterfaceSender sender) {
        log.debug("Leaving the multicast group by {}", sender);
        sender.close();
        receiving().leaveGroup(family.group(settings), network, null);
    }

    private NioDatagramChannel receiving() {
        return (NioDatagramChannel) binding.channel();
    }
}

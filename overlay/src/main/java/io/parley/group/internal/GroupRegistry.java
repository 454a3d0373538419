package io.parley.group.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerGroupAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.discovery.Publication;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The groups that one peer is in: the net group, which every peer is in from its start to its end, and those it has joined
 * by name. Safe from any thread. Closing leaves them all.
 */
public final class GroupRegistry implements AsyncCloseable {

    /** The name of the net group. */
    public static final String NET_NAME = "net";

    /** JXTA's specification of a group without anything special. */
    private static final AdvertisementId STANDARD_GROUP =
            new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE00000001" + "0306");

    private final GroupContext services;
    private final JoinedGroup net;
    private final Map<GroupId, JoinedGroup> joined = new LinkedHashMap<>();
    private boolean closing;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Joins the net group. */
    public GroupRegistry(GroupContext services) {
        this.services = services;
        this.net = new JoinedGroup(services, GroupId.NET, NET_NAME);
    }

    /** The net group. */
    public PeerGroup net() {
        return net;
    }

    /** Those that were joined and not left, in that order, the net group not among them. */
    public List<PeerGroup> joined() {
        synchronized (joined) {
            return joined.values().stream()
                    .filter(group -> !group.isClosing())
                    .map(PeerGroup.class::cast)
                    .toList();
        }
    }

    /**
     * Joins the open group of that name, which exists as soon as somebody joins it. It is published in the net group, so
     * that others find it. Who is in it already gets the same group once more.
     *
     * @param name 1 to 256 characters
     * @throws IllegalArgumentException when the name is empty, too long, or not well-formed Unicode
     * @throws io.parley.error.ParleyException {@link ErrorCode#CLOSED}; {@link ErrorCode#BUSY} while it is being left;
     *     {@link ErrorCode#LOCAL_LIMIT} when this peer is in as many groups as it may be, which is what its leases have
     *     room for
     */
    public PeerGroup join(String name) {
        if (name.isEmpty() || name.length() > 256) {
            throw new IllegalArgumentException("group name: " + name.length() + " characters (expected: 1 to 256)");
        }
        GroupId id = GroupId.ofName(name);
        synchronized (joined) {
            if (closing) {
                throw ErrorCode.CLOSED.exception("the peer is closed");
            }
            JoinedGroup known = joined.get(id);
            if (known != null && !known.isClosing()) {
                return known;
            }
            if (known != null && !known.whenClosed().isDone()) {
                throw ErrorCode.BUSY.exception(
                        "group " + name + " is being left (expected: to be joined again after its whenClosed())");
            }
            joined.values().removeIf(group -> group.whenClosed().isDone());
            JoinedGroup group = new JoinedGroup(services, id, name);
            try {
                publish(group);
            } catch (RuntimeException e) {
                group.closeAsync();
                throw e;
            }
            joined.put(id, group);
            return group;
        }
    }

    private void publish(JoinedGroup group) {
        Publication publication = net.discovery()
                .publish(new PeerGroupAdvertisement(
                        AdvertisementId.of(group.id()), STANDARD_GROUP, group.name(), null, List.of()));
        group.whenClosed().thenRun(publication::closeAsync);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        List<JoinedGroup> open;
        synchronized (joined) {
            if (closing) {
                return closed.copy();
            }
            closing = true;
            open = List.copyOf(joined.values());
        }
        CompletableFuture.allOf(open.stream().map(JoinedGroup::closeAsync).toArray(CompletableFuture<?>[]::new))
                .thenCompose(left -> net.closeAsync())
                .whenComplete((left, failure) -> closed.complete(null));
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        synchronized (joined) {
            return closing;
        }
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, services.endpoint().limits().closeTimeout());
    }
}

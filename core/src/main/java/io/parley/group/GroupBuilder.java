package io.parley.group;

/** What is needed to join a group; for an open group its name is enough. Not thread-safe. */
public final class GroupBuilder {

    private final GroupRegistry groups;
    private final String name;

    /** To join the group of that name with these groups' peer. */
    public GroupBuilder(GroupRegistry groups, String name) {
        this.groups = groups;
        this.name = name;
    }

    /**
     * Joins the group.
     *
     * @see GroupRegistry#join
     */
    public PeerGroup join() {
        return groups.join(name);
    }
}

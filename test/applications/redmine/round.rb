# test/applications/redmine/round.rb
#		A round of operations in Redmine, run by "rails runner": test/applications/redmine.sh.
#
# What counts here: rows of several tables in one statement's callbacks, inserts of many
# rows, a rollback to a savepoint, reset_pk_sequence!, which calls setval(), between two
# inserts of one transaction, and several sessions at a time.

N = ARGV[0]
User.current = User.find_by(admin: true)

def show(what, *values)
  puts "#{what}: #{values.map(&:inspect).join(' ')}".gsub(/round-?#{N}\b/, 'round')
end

def user(name)
  user = User.new(firstname: 'A', lastname: name, mail: "#{name}@example.com", language: 'en')
  user.login = name
  user.password = 'a-password-of-its-own'
  user.save!
  user
end

def issue(project, subject, **values)
  Issue.create!(project: project, tracker: project.trackers.first, author: User.current, subject: subject,
                status: IssueStatus.first, priority: IssuePriority.first, **values)
end

users = (1..2).map { |i| user("round-#{N}-user-#{i}") }
project = Project.new(name: "Round #{N}", identifier: "round-#{N}")
project.trackers = Tracker.all
project.enabled_module_names = %w[issue_tracking time_tracking wiki]
project.save!
users.each { |u| Member.create!(project: project, principal: u, roles: [Role.givable.first]) }

parent = issue(project, 'the parent', assigned_to: users[0])
children = (1..5).map { |i| issue(project, "child #{i}", parent_issue_id: parent.id) }
children.each do |child|
  child.reload.init_journal(users[1], "a note on #{child.subject}")
  child.done_ratio = 50
  child.save!
  TimeEntry.create!(project: project, issue: child, user: users[0], author: users[0], hours: 1.5,
                    spent_on: Date.new(2020, 1, 1), activity: TimeEntryActivity.first)
end
parent.reload
show 'the parent', parent.done_ratio, parent.children.map(&:subject), parent.total_spent_hours
show 'journals', children.map { |c| c.reload.journals.map { |j| [j.notes, j.user.login, j.details.map(&:prop_key).sort] } }

wiki = project.wiki
page = WikiPage.new(wiki: wiki, title: 'A_page')
page.save_with_content(WikiContent.new(page: page, text: 'first', author: users[0]))
page.content.text = 'second'
page.save_with_content(page.content)
show 'wiki', page.reload.content.versions.map(&:text), page.content.version

# one statement, many rows
keys = Watcher.insert_all((1..20).map { |i| { watchable_type: "News#{i}", watchable_id: 1, user_id: users[0].id } },
                          returning: :id).rows.flatten
show 'many rows', keys.uniq.size, Watcher.where(id: keys).pluck(:watchable_type).sort

# a savepoint that is rolled back
ActiveRecord::Base.transaction do
  issue(project, 'kept')
  ActiveRecord::Base.transaction(requires_new: true) do
    issue(project, 'taken back')
    raise ActiveRecord::Rollback
  end
  issue(project, 'kept, too')
end

# insert, setval() and insert in one transaction
ActiveRecord::Base.transaction do
  first = issue(project, 'before setval()')
  ActiveRecord::Base.connection.reset_pk_sequence!('issues')
  second = issue(project, 'after setval()')
  ActiveRecord::Base.connection.reset_pk_sequence!('issues')
  third = issue(project, 'after another')
  show 'setval()', [first, second, third].map(&:id).uniq.size, third.reload.subject, second.id > first.id, third.id > second.id
end

# several sessions
threads = (1..4).map do |t|
  Thread.new do
    Rails.application.executor.wrap do
      ActiveRecord::Base.connection_pool.with_connection do
        User.current = User.find_by(admin: true)
        (1..10).map do |i|
          entry = TimeEntry.create!(project: project, user: users[0], author: users[0], hours: t, comments: "#{t}.#{i}",
                                    spent_on: Date.new(2020, 1, 1), activity: TimeEntryActivity.first)
          TimeEntry.find(entry.id).comments == "#{t}.#{i}"
        end
      end
    end
  end
end
show 'sessions', threads.flat_map(&:value).tally

show 'issues', project.issues.reload.sort_by(&:id).map { |i| [i.subject, i.parent&.subject, i.author.login] }

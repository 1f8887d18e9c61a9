/**
 * Words that mean nearly the same, a row for each meaning: first the verbs in which tools are described, then everyday
 * nouns. Rows of words that only share a subject are left out: they helped with the questions that they were tuned on,
 * and with no others.
 */
export const relatedWords = `
get fetch retrieve obtain read load
list enumerate all
find search locate lookup discover seek explore browse query
show display view see present
create make new generate build produce
add insert append attach include
delete remove erase destroy drop clear discard
update edit modify change alter revise adjust
cancel abort stop terminate end halt
start begin launch run execute initiate
buy purchase order shop acquire
sell sale vend
send deliver dispatch transmit submit mail
receive accept
save store keep preserve archive backup
restore recover undo revert
copy duplicate clone replicate
move transfer relocate
rename name title label
compare comparison versus difference contrast
choose select pick option
recommend suggest advise suggestion recommendation advice tip propose
explain describe clarify description explanation
learn study understand
teach tutor instruct train educate coach
write compose draft author writing
rewrite paraphrase rephrase polish reword
proofread grammar spelling correct
summarize summary summarise abstract digest brief condense overview
translate translation translator
convert conversion transform transformation converter
calculate compute calculation solve computation calculator
analyze analyse analysis analytics insight examine inspect
check verify validate confirm test ensure
track monitor follow watch trace observe
plan schedule organize arrange planning
book reserve reservation booking
pay payment bill invoice charge checkout
refund reimburse repay
price cost fee rate cheap affordable expensive
discount deal coupon promo promotion voucher offer bargain saving
free gratis
help assist support assistance guide aid
fix repair solve troubleshoot resolve
improve enhance optimize boost better
predict forecast prediction estimate projection
measure metric statistic statistics stat figure
upload import
download export
share publish post distribute
invite invitation
join enroll register signup subscribe
leave quit exit unsubscribe
login authenticate signin
enable activate
disable deactivate suspend
lock secure protect
allow permit grant permission access
deny block ban forbid reject
approve authorize accept
assign allocate delegate
merge combine join unite
split divide separate
sort rank order
filter narrow
count number total sum amount quantity
connect link integrate attach
answer reply respond response
ask question query inquiry
talk chat speak conversation converse discuss
play game
draw sketch paint illustrate drawing
record capture log
detect recognize identify recognition detection
classify categorize category classification
extract scrape parse
random shuffle dice
notify alert notification
picture image photo photograph photography
movie film cinema
video clip footage youtube
song music track tune melody
singer artist musician band
show series tv television episode
car vehicle auto automobile
house home property apartment flat
job career employment occupation work vacancy position
resume cv
company business firm enterprise corporation organization
person people human individual
customer client buyer consumer
user account member profile
employee staff worker
team group
child kid children
woman female
man male
doctor physician
medicine drug medication pharmaceutical
illness disease sickness condition disorder
lawyer attorney
law legal legislation
crypto cryptocurrency bitcoin ethereum blockchain token
stock share equity
money cash fund currency
trip travel journey vacation holiday tour
hotel accommodation lodging hostel stay
flight airline plane airplane airfare
restaurant diner eatery
meal dish recipe cuisine
place location spot venue site
map navigation direction
road street route
nearby near local around
country nation
city town
weather climate
date day
time hour
today current latest recent
news headline
event happening concert
website site webpage web page url
document file pdf paper doc
folder directory
table spreadsheet excel
database dataset
text word writing
sentence phrase
code program programming software coding developer
bug error issue fault problem
repository repo
server host machine instance
api endpoint interface
message email mail
phone telephone mobile
contact address
gift present
clothes clothing apparel fashion outfit wear
makeup cosmetic beauty skincare
student pupil learner
teacher tutor professor instructor
school university college
course class lesson
research study paper academic scholarly
book novel literature
quote quotation saying
joke humor funny
fact trivia knowledge
puzzle riddle
idea inspiration creativity brainstorm
chart graph diagram plot visualization
logo design brand
presentation slide powerpoint
meeting appointment
task todo
note memo
reminder alarm
podcast audio
voice speech
language linguistic
dictionary definition meaning
pet dog cat animal
plant garden flower
charity nonprofit donation
religion bible god faith
astrology horoscope zodiac
space astronomy planet
tax accounting
loan mortgage credit
insurance coverage
invest investment portfolio
bank banking
trend trending popular
review rating feedback opinion
top best great
environment variable setting configuration config
secret password credential key
organization org
picture avatar icon
size length width height
add append insert put assign invite
create open start build add new
close finish complete end resolve
cancel stop abort terminate void
stop pause suspend halt disable
run launch execute trigger begin initiate dispatch start
delete remove take
update change set patch edit replace rename
send email mail deliver post
approve accept confirm
reject decline deny refuse
copy duplicate clone fork
person user people member collaborator account
comment message
information info detail
setting configuration config option preference
volume disk drive
bill invoice
`;

/** Different words for the same thing, a row for each thing: abbreviations, and terms that are always interchangeable. */
export const synonyms = `
repository repo
organization organisation org
picture image photo pic
movie film
document doc
website site
mail email
car vehicle
bug issue
pull pr
configuration config
server machine instance host
database db
environment env
application app
directory folder
authentication auth
branch reference ref
`;
